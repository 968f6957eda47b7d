#include "mounts/confined.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mounts {
namespace {

int open_root(const std::string& directory) {
    return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

// Closes `fd` without touching errno.
void close_quietly(int fd) {
    const int saved = errno;
    ::close(fd);
    errno = saved;
}

// The owner by a descriptor that is known to be a directory's: by its name it could be something else meanwhile.
int give_to_owner_of(int root, int made, std::uint32_t mode) {
    struct stat owner {};
    const auto itself = "/proc/self/fd/" + std::to_string(made);
    if (::fstat(root, &owner) < 0 || ::chmod(itself.c_str(), mode) < 0) return -1;
    if (owner.st_uid == ::geteuid() && owner.st_gid == ::getegid()) return 0;
    return ::fchownat(made, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH);
}

// The directory `name` in `here`, made when it is missing.
int enter(int root, int here, const std::string& name, std::uint32_t mode) {
    const bool made = ::mkdirat(here, name.c_str(), mode) == 0;
    if (!made && errno != EEXIST) return -1;
    const int next = open_beneath(here, name, O_PATH | O_DIRECTORY);
    if (!made || next < 0 || give_to_owner_of(root, next, mode) == 0) return next;
    close_quietly(next);
    return -1;
}

}  // namespace

int open_beneath(int directory, const std::string& path, std::uint64_t flags, std::uint32_t mode) {
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.mode = (flags & O_CREAT) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
}

int open_beneath(const std::string& directory, const std::string& path, std::uint64_t flags, std::uint32_t mode) {
    const int root = open_root(directory);
    if (root < 0) return -1;
    const int fd = open_beneath(root, path, flags, mode);
    close_quietly(root);
    return fd;
}

int open_directories_beneath(int directory, const std::string& path, std::uint32_t mode) {
    int here = open_beneath(directory, ".", O_PATH | O_DIRECTORY);
    std::size_t from = 0;
    while (here >= 0 && from < path.size()) {
        const auto end = std::min(path.find('/', from), path.size());
        const auto name = path.substr(from, end - from);
        from = end + 1;
        if (name.empty()) continue;
        const int next = enter(directory, here, name, mode);
        close_quietly(here);
        here = next;
    }
    return here;
}

int make_directories_beneath(const std::string& directory, const std::string& path, std::uint32_t mode) {
    const int root = open_root(directory);
    if (root < 0) return -1;
    const int last = open_directories_beneath(root, path, mode);
    close_quietly(root);
    if (last < 0) return -1;
    ::close(last);
    return 0;
}

}  // namespace mounts
