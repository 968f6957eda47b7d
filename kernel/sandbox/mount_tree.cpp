#include "kernel/sandbox/mount_tree.hpp"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/mount_points.hpp"

namespace kernel {
namespace {

// Recursive throughout: in a user namespace a tree cannot be taken apart from what the host mounted over it.
constexpr unsigned whole_tree = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;

void set_attributes(int directory, const char* path, unsigned flags, unsigned long long attributes,
                    const std::string& name) {
    mount_attr change{};
    change.attr_set = attributes;
    require(mount_setattr(directory, path, flags, &change, sizeof change), "protect " + name);
}

}  // namespace

mount_tree::mount_tree(std::string source, file_descriptor tree) : source_(std::move(source)), tree_(std::move(tree)) {
    struct stat status {};
    require(fstat(tree_.get(), &status), "examine " + source_);
    mode_ = status.st_mode;
    uid_ = status.st_uid;
    gid_ = status.st_gid;
    add_attributes(MOUNT_ATTR_NOSUID);
}

mount_tree mount_tree::take(const std::string& source) {
    file_descriptor tree(require(open_tree(AT_FDCWD, source.c_str(), whole_tree), "mount " + source));
    return {source, std::move(tree)};
}

std::optional<mount_tree> mount_tree::find(const std::string& source) {
    file_descriptor tree(open_tree(AT_FDCWD, source.c_str(), whole_tree));
    if (!tree && errno == ENOENT) return std::nullopt;
    require(tree.get(), "mount " + source);
    return mount_tree(source, std::move(tree));
}

mount_tree mount_tree::entry(int directory, const std::string& name) {
    file_descriptor tree(
        require(open_tree(directory, name.c_str(), whole_tree | AT_SYMLINK_NOFOLLOW), "mount again " + name));
    return {name, std::move(tree)};
}

void mount_tree::add_attributes(unsigned long long attributes) {
    set_attributes(tree_.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, attributes, source_);
}

void mount_tree::make_read_only() { add_attributes(MOUNT_ATTR_RDONLY); }

void mount_tree::hide_devices() { add_attributes(MOUNT_ATTR_NODEV); }

void mount_tree::give_to(const box_user& user) {
    mount_attr change{};
    change.attr_set = MOUNT_ATTR_IDMAP;
    change.userns_fd = user.owners(uid_, gid_);
    if (mount_setattr(tree_.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change) == 0) return;
    if (errno == EINVAL)
        throw box_error(
            "mount " + source_ +
            ": its file system cannot show files as another user's, which the box of a gateway that runs as "
            "root needs: use ext4, xfs or btrfs (or tmpfs from Linux 6.3), or run the gateway as an "
            "ordinary user");
    throw_errno("give " + source_ + " to the box's user");
}

void mount_tree::attach(const std::string& target, mount_points& points) const {
    points.make(target, is_directory());
    require(move_mount(tree_.get(), "", AT_FDCWD, target.c_str(), MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS),
            "mount " + source_ + " at " + target);
}

void mount_tmpfs(const std::string& target, const char* options) {
    require(mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options), "mount a tmpfs at " + target);
}

void seal(const std::string& target) { set_attributes(AT_FDCWD, target.c_str(), 0, MOUNT_ATTR_RDONLY, target); }

}  // namespace kernel
