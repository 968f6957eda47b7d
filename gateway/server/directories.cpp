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
#include <vector>

#include "mounts/remove_tree.hpp"

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

// The descriptor that holds the lock, which goes with its process.
result<int> lock(int opened, const std::string& path, const char* advice) {
    if (opened >= 0 && ::flock(opened, LOCK_EX | LOCK_NB) == 0) return opened;
    const int why = errno;
    if (opened >= 0) ::close(opened);
    if (why == EWOULDBLOCK) return failure{errc::io_error, fmt::format("another gateway uses {}: {}", path, advice)};
    return failure{errc::io_error, fmt::format("cannot lock {}: {}; {}", path, std::strerror(why), advice)};
}

result<int> lock_data(const std::string& path) {
    const auto file = path + "/gateway.lock";
    return lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path,
                "stop it, or set storage.data_dir to another directory (--data-dir)");
}

result<int> lock_runtime(const std::string& path) {
    return lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path,
                "stop it, or set storage.runtime_dir to another directory");
}

// What a gateway that was killed left there.
result<void> clear(const std::string& path) {
    std::error_code error;
    std::vector<fs::path> all;
    for (fs::directory_iterator each(path, error), end; !error && each != end; each.increment(error))
        all.push_back(each->path());
    for (const auto& each : all)
        if (auto removed = mounts::remove_tree(each.string()); !removed)
            return failure{errc::io_error,
                           fmt::format("cannot empty {}: {}; remove it, or set storage.runtime_dir to another", path,
                                       removed.error().text)};
    if (!error) return {};
    return failure{errc::io_error, fmt::format("cannot read {}: {}; remove it, or set storage.runtime_dir to another",
                                               path, error.message())};
}

// One name for a directory, whatever way leads there.
std::string short_name(const std::string& data_dir) {
    std::error_code error;
    auto real = fs::canonical(data_dir, error);
    return fmt::format("{:08x}", std::hash<std::string>{}(error ? data_dir : real.string()) & 0xffffffff);
}

}  // namespace

result<directories> directories::claim(const std::string& data_dir, const std::string& runtime_dir) {
    directories made;
    made.data_ = data_dir;
    if (auto done = make_private(data_dir, "storage.data_dir"); !done) return done.error();
    auto data = lock_data(data_dir);
    if (!data) return data.error();
    made.data_lock_ = *data;
    made.runtime_ = runtime_dir + "/" + short_name(data_dir);
    if (auto done = make_private(runtime_dir, "storage.runtime_dir"); !done) return done.error();
    if (auto done = make_private(made.runtime_, "storage.runtime_dir"); !done) return done.error();
    auto runtime = lock_runtime(made.runtime_);
    if (!runtime) return runtime.error();
    made.runtime_lock_ = *runtime;
    if (auto done = clear(made.runtime_); !done) return done.error();
    if (auto done = make_private(made.empty(), "storage.runtime_dir"); !done) return done.error();
    return made;
}

result<void> directories::mount_disk(const config::storage_section& settings) {
    no_disk_ = "storage.disk is \"none\"";
    if (settings.disk == "none") return {};
    std::error_code ec;
    const bool has_sessions = fs::exists(data_ + "/sessions.btrfs", ec);
    auto opened = mounts::disk_image::open(data_, static_cast<std::uint64_t>(settings.disk_image_bytes));
    no_disk_ = opened ? "" : opened.error().text;
    if (opened) disk_.emplace(std::move(*opened));
    if (opened || !has_sessions) return {};
    return failure{
        errc::io_error,
        fmt::format("{}/sessions.btrfs holds sessions' files and cannot be used: {}; mend that (a full image: "
                    "raise storage.disk_image_bytes), or set storage.disk to \"none\" to start without these "
                    "sessions (docs/limits.md)",
                    data_, no_disk_)};
}

directories::directories(directories&& other) noexcept
    : data_(std::move(other.data_)),
      runtime_(std::move(other.runtime_)),
      disk_(std::move(other.disk_)),
      no_disk_(std::move(other.no_disk_)),
      data_lock_(std::exchange(other.data_lock_, -1)),
      runtime_lock_(std::exchange(other.runtime_lock_, -1)) {}

directories::~directories() {
    disk_.reset();
    if (runtime_lock_ >= 0) {
        (void)mounts::remove_tree(runtime_);
        ::close(runtime_lock_);
    }
    if (data_lock_ >= 0) ::close(data_lock_);
}

}  // namespace gateway::server
