#include "kernel/sandbox/mount_points.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/mount_tree.hpp"

namespace kernel {
namespace {

std::string parent_of(const std::string& path) {
    std::size_t slash = path.find_last_of('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

bool exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

int try_create(const std::string& path, bool directory) {
    if (directory) return mkdir(path.c_str(), 0755);
    file_descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    return made ? 0 : -1;
}

std::vector<std::string> names_in(int directory, const std::string& path) {
    int copy = require(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "list " + path);
    std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy), &closedir);
    if (!stream) throw_errno("list " + path);
    std::vector<std::string> names;
    while (const dirent* each = readdir(stream.get())) {
        std::string name = each->d_name;
        if (name != "." && name != "..") names.push_back(std::move(name));
    }
    return names;
}

// The target when `name` is a symbolic link, else empty.
std::string link_target(int directory, const std::string& name) {
    char buffer[PATH_MAX];
    ssize_t size = readlinkat(directory, name.c_str(), buffer, sizeof buffer);
    return size < 0 ? std::string() : std::string(buffer, size);
}

}  // namespace

void mount_points::make(const std::string& target, bool directory) {
    if (exists(target)) return;
    for (std::size_t slash = target.find('/', 1); slash != std::string::npos; slash = target.find('/', slash + 1))
        create(target.substr(0, slash), true);
    create(target, directory);
}

void mount_points::create(const std::string& path, bool directory) {
    if (exists(path) || try_create(path, directory) == 0) return;
    if (errno != EROFS) throw_errno("make the mount point " + path);
    unfold(parent_of(path));
    require(try_create(path, directory), "make the mount point " + path);
}

void mount_points::unfold(const std::string& directory) {
    // Still refers to what the tmpfs is about to cover.
    file_descriptor covered(
        require(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), "open the directory " + directory));
    std::vector<std::string> names = names_in(covered.get(), directory);
    mount_tmpfs(directory, "mode=0755");
    unfolded_.push_back(directory);
    for (const std::string& name : names) {
        std::string path = directory + "/" + name;
        std::string link = link_target(covered.get(), name);
        if (link.empty())
            mount_tree::entry(covered.get(), name).attach(path, *this);
        else
            require(symlink(link.c_str(), path.c_str()), "link " + path);
    }
}

void mount_points::seal_all() const {
    for (const std::string& each : unfolded_) seal(each);
}

}  // namespace kernel
