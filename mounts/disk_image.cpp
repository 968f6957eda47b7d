#include "mounts/disk_image.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernel/launcher/file_descriptor.hpp"
#include "mounts/loop_device.hpp"
#include "mounts/remove_tree.hpp"
#include "mounts/subvolume.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;

constexpr std::uint64_t smallest = 256ull << 20;  // below, btrfs has no room for its own
constexpr std::uint64_t trial_limit = 1ull << 20;

file_descriptor open_directory(const std::string& path) {
    return file_descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::uint64_t free_bytes(int file) {
    struct statvfs found {};
    return fstatvfs(file, &found) == 0 ? std::uint64_t{found.f_bavail} * found.f_frsize : 0;
}

// Its notes would be in the gateway's own output.
int start_mkfs(pid_t& pid, const std::string& path) {
    const char* argv[] = {"mkfs.btrfs", "-q", "-f", "-K", "-m", "single", "-d", "single", path.c_str(), nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error = ENOENT;
    for (const char* program : {"/usr/sbin/mkfs.btrfs", "/sbin/mkfs.btrfs", "/usr/bin/mkfs.btrfs"})
        if (error == ENOENT) error = posix_spawn(&pid, program, &quiet, nullptr, const_cast<char**>(argv), environ);
    posix_spawn_file_actions_destroy(&quiet);
    return error;
}

result<void> make_file_system(const std::string& path) {
    pid_t pid = 0;
    const int error = start_mkfs(pid, path);
    if (error == ENOENT) return problem{"there is no mkfs.btrfs: install btrfs-progs"};
    if (error != 0) return problem{std::string("start mkfs.btrfs: ") + std::strerror(error)};
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return problem{"mkfs.btrfs could not make " + path};
}

result<void> make_image(const std::string& path, std::uint64_t bytes) {
    unlink(path.c_str());  // another one, if a device still shows it
    file_descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!made) return system_problem("make " + path);
    const std::uint64_t half = free_bytes(made.get()) / 2;
    if (bytes == 0 && half < smallest) return problem{"beside " + path + " less than 512 MiB are free"};
    bytes = std::max(smallest, bytes == 0 ? half : bytes);
    if (ftruncate(made.get(), static_cast<off_t>(bytes)) != 0) return system_problem("make " + path);
    return make_file_system(path);
}

// Whether it grew.
result<bool> grow_image(int image, std::uint64_t bytes) {
    struct stat found {};
    if (fstat(image, &found) != 0) return system_problem("examine the disk image");
    if (static_cast<std::uint64_t>(found.st_size) >= bytes) return false;
    if (ftruncate(image, static_cast<off_t>(bytes)) != 0) return system_problem("enlarge the disk image");
    return true;
}

std::string missing_space(int image, const std::string& path) {
    struct stat found {};
    if (fstat(image, &found) != 0) return {};
    const auto size = static_cast<std::uint64_t>(found.st_size);
    const auto taken = static_cast<std::uint64_t>(found.st_blocks) * 512;
    if (taken + free_bytes(image) >= size) return {};
    return path + " may grow to " + std::to_string(size >> 20) + " MiB, for which its file system has not the space " +
           "any more: free some, or remove the file while no gateway runs and set storage.disk_image_bytes";
}

result<void> fill_to_limit(const disk_image& image) {
    const file_descriptor parent = open_directory(image.sessions());
    if (auto made = make_subvolume(parent.get(), "trial"); !made) return made;
    if (auto limited = limit_subvolume(parent.get(), "trial", trial_limit); !limited) return limited;
    const file_descriptor file(openat(parent.get(), "trial/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string bytes(trial_limit / 4, 'x');
    for (int i = 0; i < 8; ++i)
        if (write(file.get(), bytes.data(), bytes.size()) < 0 && errno == EDQUOT) return {};
    return problem{"a limit of btrfs was not kept"};
}

}  // namespace

result<disk_image> disk_image::open(const std::string& directory, std::uint64_t bytes) {
    if (geteuid() != 0) return problem{"only root can mount a file system for them"};
    disk_image made(directory + "/disk");
    while (umount2(made.mount_point_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
    }
    if (mkdir(made.mount_point_.c_str(), 0700) != 0 && errno != EEXIST)
        return system_problem("make " + made.mount_point_);
    const std::string path = directory + "/sessions.btrfs";
    auto done = access(path.c_str(), F_OK) == 0 ? made.use(path, bytes) : made.begin(path, bytes);
    if (!done) return done.error();
    return made;
}

// It has its name once it is whole.
result<void> disk_image::begin(const std::string& path, std::uint64_t bytes) {
    const std::string fresh = path + ".new";
    auto done = make_image(fresh, bytes);
    if (done) done = use(fresh, bytes);
    if (done && rename(fresh.c_str(), path.c_str()) != 0) done = system_problem("make " + path);
    if (!done) unlink(fresh.c_str());
    return done;
}

result<void> disk_image::use(const std::string& path, std::uint64_t bytes) {
    const file_descriptor image(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (!image) return system_problem("open " + path);
    const auto grown = grow_image(image.get(), bytes);
    if (!grown) return grown.error();
    if (auto done = mount(image.get()); !done) return done;
    warning_ = missing_space(image.get(), path);
    return prepare(*grown);
}

result<void> disk_image::mount(int image) {
    auto device = loop_device::of(image);
    if (!device) return device.error();
    device->grow();
    constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOATIME;
    // What sessions delete is free within seconds, also beside the image; what they write does not take the space
    // that is needed to describe it.
    if (::mount(device->path().c_str(), mount_point_.c_str(), "btrfs", flags,
                "discard=async,metadata_ratio=8,commit=5") == 0)
        return {};
    if (errno == ENODEV) return problem{"this kernel has no btrfs"};
    return system_problem("mount " + mount_point_);
}

result<void> disk_image::prepare(bool grown) {
    const file_descriptor top = open_directory(mount_point_);
    if (!top) return system_problem("open " + mount_point_);
    if (auto enabled = enable_quotas(top.get()); !enabled) return enabled;
    if (grown)
        if (auto filled = fill_device(top.get()); !filled) return filled;
    if (mkdirat(top.get(), "sessions", 0700) != 0 && errno != EEXIST) return system_problem("make " + sessions());
    return {};
}

disk_image::disk_image(disk_image&& other) noexcept
    : mount_point_(std::exchange(other.mount_point_, {})), warning_(std::move(other.warning_)) {}

disk_image::~disk_image() {
    if (!mount_point_.empty()) umount2(mount_point_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

result<void> disk_image::try_out(const std::string& directory) {
    std::string place = directory + "/cellgate-trial-XXXXXX";
    if (mkdtemp(place.data()) == nullptr) return system_problem("make " + place);
    result<void> outcome;
    {
        auto made = open(place, smallest);
        outcome = made ? fill_to_limit(*made) : result<void>(made.error());
    }
    if (auto removed = remove_tree(place); !removed) return removed;
    return outcome;
}

}  // namespace mounts
