#include "gateway/kernels/own_directories.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "gateway/base/log.hpp"

namespace gateway::kernels {
namespace {

bool is_own(const ::kernel::bind_mount& mount) {
    return mount.writable && (mount.target == "/home/user" || mount.target == "/mnt/files");
}

// No session can put a link in the place of its own directory: those above belong to the gateway.
void open_to_owner(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || (found.st_mode & S_IRWXU) == S_IRWXU) return;
    if (::chmod(path.c_str(), (found.st_mode & 07777) | S_IRWXU) != 0)
        log::warning("cannot open {} to its owner again: {}", path, std::strerror(errno));
}

}  // namespace

void open_own_directories(const std::vector<::kernel::bind_mount>& mounts) {
    for (const auto& each : mounts)
        if (is_own(each)) open_to_owner(each.source);
}

}  // namespace gateway::kernels
