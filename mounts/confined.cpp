#include "mounts/confined.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mounts {
namespace {

int open_from(int directory, const char* path, std::uint64_t flags, std::uint32_t mode) {
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.mode = (flags & O_CREAT) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
}

// Closes `fd` without touching errno.
void close_quietly(int fd) {
    const int saved = errno;
    ::close(fd);
    errno = saved;
}

}  // namespace

int open_beneath(const std::string& directory, const std::string& path, std::uint64_t flags, std::uint32_t mode) {
    const int root = ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (root < 0) return -1;
    const int fd = open_from(root, path.c_str(), flags, mode);
    close_quietly(root);
    return fd;
}

int make_directories_beneath(const std::string& directory, const std::string& path, std::uint32_t mode) {
    int here = ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    std::size_t from = 0;
    while (here >= 0 && from < path.size()) {
        const auto end = std::min(path.find('/', from), path.size());
        const auto name = path.substr(from, end - from);
        from = end + 1;
        if (name.empty()) continue;
        if (::mkdirat(here, name.c_str(), mode) < 0 && errno != EEXIST) {
            close_quietly(here);
            return -1;
        }
        const int next = open_from(here, name.c_str(), O_PATH | O_DIRECTORY, 0);
        close_quietly(here);
        here = next;
    }
    if (here < 0) return -1;
    ::close(here);
    return 0;
}

}  // namespace mounts
