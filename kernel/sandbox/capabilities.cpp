#include "kernel/sandbox/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

constexpr int needed_to_join[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT};
// A user namespace that is made without it may not have a uid 0 (user_namespaces(7), Linux 5.12).
constexpr int needed_to_map_root = CAP_SETFCAP;

using sets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

__user_cap_header_struct header_of_this_process() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

void set_capabilities(sets& wanted) {
    __user_cap_header_struct header = header_of_this_process();
    require(syscall(SYS_capset, &header, wanted.data()), "set capabilities");
}

void add(sets& wanted, int capability) {
    __user_cap_data_struct& part = wanted[CAP_TO_INDEX(capability)];
    part.effective |= CAP_TO_MASK(capability);
    part.permitted = part.inheritable = part.effective;
}

}  // namespace

bool may_administer() {
    __user_cap_header_struct header = header_of_this_process();
    sets held{};
    if (syscall(SYS_capget, &header, held.data()) != 0) return false;
    return (held[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) != 0;
}

void keep_box_capabilities() {
    sets wanted{};
    for (int each : needed_to_join) add(wanted, each);
    add(wanted, needed_to_map_root);
    set_capabilities(wanted);
}

void pass_on_capabilities() {
    for (int each : needed_to_join)
        require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, each, 0, 0), "pass capabilities on");
}

void drop_capabilities() {
    // The kernel may know more of them than this program was compiled with: until it refuses one.
    for (int each = 0; prctl(PR_CAPBSET_DROP, each, 0, 0, 0) == 0;) ++each;
    require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "drop the ambient capabilities");
    sets none{};
    set_capabilities(none);
}

}  // namespace kernel
