#include "mounts/subvolume.hpp"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "kernel/launcher/file_descriptor.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;

// Since Linux 6.7. Debian 12's headers are older.
constexpr std::uint64_t enable_simple_quotas = 4;

bool put_name(btrfs_ioctl_vol_args& into, const std::string& name) {
    if (name.size() >= sizeof into.name) return false;
    std::memcpy(into.name, name.c_str(), name.size() + 1);
    return true;
}

}  // namespace

result<void> enable_quotas(int directory) {
    btrfs_ioctl_quota_ctl_args what{};
    what.cmd = enable_simple_quotas;
    if (ioctl(directory, BTRFS_IOC_QUOTA_CTL, &what) == 0) return {};
    if (errno == EINVAL) return problem{"simple quotas of btrfs need Linux 6.7 or newer"};
    return system_problem("enable quotas");
}

result<void> fill_device(int directory) {
    btrfs_ioctl_vol_args what{};
    put_name(what, "max");
    if (ioctl(directory, BTRFS_IOC_RESIZE, &what) == 0) return {};
    return system_problem("enlarge the file system");
}

result<void> make_subvolume(int parent, const std::string& name) {
    btrfs_ioctl_vol_args what{};
    if (!put_name(what, name)) return problem{name + " is too long a name"};
    if (ioctl(parent, BTRFS_IOC_SUBVOL_CREATE, &what) == 0 && fchmodat(parent, name.c_str(), 0700, 0) == 0) return {};
    return system_problem("make " + name);
}

result<void> limit_subvolume(int parent, const std::string& name, std::uint64_t bytes) {
    const file_descriptor opened(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened) return system_problem("open " + name);
    btrfs_ioctl_qgroup_limit_args what{};  // of the subvolume that the descriptor is in
    what.lim.flags = BTRFS_QGROUP_LIMIT_MAX_RFER;
    what.lim.max_rfer = bytes == 0 ? UINT64_MAX : bytes;  // the largest number takes a limit away
    if (ioctl(opened.get(), BTRFS_IOC_QGROUP_LIMIT, &what) == 0) return {};
    return system_problem("limit " + name);
}

}  // namespace mounts
