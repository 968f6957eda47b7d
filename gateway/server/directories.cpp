#include "gateway/server/directories.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

namespace gateway::server {
namespace {

namespace fs = std::filesystem;

// Ours alone: a directory in /tmp that someone else made first is refused.
result<void> make_private(const std::string& path, const char* setting) {
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST)
        return failure{errc::io_error, fmt::format("cannot make {}: {}; set {} to a directory that can be written",
                                                   path, std::strerror(errno), setting)};
    struct stat found {};
    if (::lstat(path.c_str(), &found) < 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
        return failure{errc::io_error,
                       fmt::format("{} is not a directory of this user; set {} to another", path, setting)};
    ::chmod(path.c_str(), 0700);
    return {};
}

}  // namespace

result<directories> directories::claim(const std::string& data_dir, const std::string& runtime_dir) {
    directories made;
    made.data_ = data_dir;
    made.runtime_ = fmt::format("{}/{:08x}", runtime_dir, std::hash<std::string>{}(data_dir)&0xffffffff);
    if (auto done = make_private(data_dir, "storage.data_dir"); !done) return done.error();
    const auto lock = data_dir + "/gateway.lock";
    made.lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made.lock_ < 0 || ::flock(made.lock_, LOCK_EX | LOCK_NB) < 0)
        return failure{errc::io_error,
                       fmt::format("another gateway uses {}: stop it, or set storage.data_dir to another "
                                   "directory (--data-dir)",
                                   data_dir)};
    if (auto done = make_private(runtime_dir, "storage.runtime_dir"); !done) return done.error();
    std::error_code error;
    fs::remove_all(made.runtime_, error);
    if (auto done = make_private(made.runtime_, "storage.runtime_dir"); !done) return done.error();
    return made;
}

directories::directories(directories&& other) noexcept
    : data_(std::move(other.data_)), runtime_(std::move(other.runtime_)), lock_(std::exchange(other.lock_, -1)) {}

directories::~directories() {
    if (lock_ < 0) return;
    std::error_code error;
    fs::remove_all(runtime_, error);
    ::close(lock_);
}

}  // namespace gateway::server
