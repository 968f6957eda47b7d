#include "kernel/sandbox/file_wall.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

// Debian 12's header ends with version 2, which came with Linux 5.19. In version 1 no file could be moved to another
// directory.
constexpr int oldest = 2;
constexpr std::uint64_t truncate_file = 1ull << 14;  // version 3
constexpr std::uint64_t device_ioctl = 1ull << 15;   // version 5
// Version 6. Signals are left out: init and the kernel, and a command beside it, are behind layers of their own, and
// who may be signalled is what the pid namespace holds.
constexpr std::uint64_t abstract_sockets = 1ull << 0;

// The header's structure with what version 6 has besides.
struct ruleset_attributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;
};

constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t changing_a_file = LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file;
constexpr std::uint64_t using_a_device = changing_a_file | device_ioctl;
constexpr std::uint64_t changing = changing_a_file | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                   LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
// Allowed nowhere, but for ioctl().
constexpr std::uint64_t making_devices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
// The others are about directories.
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | using_a_device;

std::uint64_t known_to(int version) {
    std::uint64_t known = reading | changing | making_devices | device_ioctl;
    if (version < 3) known &= ~truncate_file;
    if (version < 5) known &= ~device_ioctl;
    return known;
}

class file_rules {
  public:
    explicit file_rules(int version) : known_(known_to(version)) {
        const ruleset_attributes handled{known_, 0, version < 6 ? 0 : abstract_sockets};
        // What is 0 at its end an older Linux need not know.
        const std::size_t size = version < 6 ? sizeof handled.files : sizeof handled;
        set_.reset(static_cast<int>(
            require(syscall(SYS_landlock_create_ruleset, &handled, size, 0), "make rules of Landlock")));
    }

    void allow(const std::string& path, std::uint64_t rights) {
        const file_descriptor place(require(open(path.c_str(), O_PATH | O_CLOEXEC), "open " + path));
        allow(place.get(), path, rights);
    }
    void allow(int place, const std::string& name, std::uint64_t rights) {
        struct stat found {};
        require(fstat(place, &found), "examine " + name);
        if (!S_ISDIR(found.st_mode)) rights &= of_files;
        const landlock_path_beneath_attr rule{rights & known_, place};
        if (syscall(SYS_landlock_add_rule, set_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return;
        if (errno != EBADFD) throw_errno("add a rule of Landlock for " + name);  // a pipe's like: open to all
    }

    file_descriptor take() { return std::move(set_); }

  private:
    std::uint64_t known_;
    file_descriptor set_;
};

// The queues of the box's ipc namespace, which have names but no place: of a mount of them that is nowhere.
file_descriptor open_message_queues() {
    const file_descriptor context(static_cast<int>(syscall(SYS_fsopen, "mqueue", FSOPEN_CLOEXEC)));
    if (!context || syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
    return file_descriptor(static_cast<int>(syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0)));
}

}  // namespace

landlock_support find_landlock() {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0) return {0, std::string("not in this Linux, or not allowed here: ") + std::strerror(errno)};
    if (version < oldest) return {0, "version 1 is too old: Linux 5.19 or newer has 2"};
    return {static_cast<int>(version), {}};
}

file_descriptor make_file_wall(const std::vector<bind_mount>& mounts, int output) {
    const int version = find_landlock().version;
    if (version == 0) return {};
    file_rules all(version);
    all.allow("/", reading);
    for (const char* each : {"/home", "/run", "/tmp", "/var/tmp", "/dev/shm"}) all.allow(each, changing);
    all.allow("/dev", using_a_device);
    all.allow("/proc", changing_a_file);  // of its own processes; what is not theirs belongs to nobody inside
    for (const bind_mount& each : mounts)
        if (each.writable) all.allow(each.target, changing);
    all.allow(output, "the output", reading | using_a_device);
    if (const file_descriptor queues = open_message_queues(); queues)
        all.allow(queues.get(), "message queues", reading | changing);
    return all.take();
}

void stay_behind(const file_descriptor& wall) {
    if (wall) require(syscall(SYS_landlock_restrict_self, wall.get(), 0), "be restricted by Landlock");
}

}  // namespace kernel
