#include "kernel/sandbox/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

// The last, since setns() by a pidfd asks for the right to look into who is there: a box's init is another user.
constexpr int needed_to_join[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SYS_PTRACE};
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

bool has(int capability) {
    __user_cap_header_struct header = header_of_this_process();
    sets held{};
    if (syscall(SYS_capget, &header, held.data()) != 0) return false;
    return (held[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

// The kernel may know more of them than this program was compiled with: until it refuses one.
void bound_to(const sets& kept) {
    int there = 0;
    for (int each = 0; (there = prctl(PR_CAPBSET_READ, each, 0, 0, 0)) >= 0; ++each)
        if (there == 1 && (kept[CAP_TO_INDEX(each)].permitted & CAP_TO_MASK(each)) == 0)
            require(prctl(PR_CAPBSET_DROP, each, 0, 0, 0), "drop a capability");
}

}  // namespace

bool may_administer() { return has(CAP_SYS_ADMIN); }

void keep_box_capabilities() {
    sets wanted{};
    for (int each : needed_to_join) add(wanted, each);
    add(wanted, needed_to_map_root);
    bound_to(wanted);
    set_capabilities(wanted);
}

void keep_only_joining() {
    sets wanted{};
    for (int each : needed_to_join) add(wanted, each);
    if (has(CAP_SETPCAP)) bound_to(wanted);  // else keep_box_capabilities() has done almost the same
    set_capabilities(wanted);
    pass_on_capabilities();
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges");
}

void pass_on_capabilities() {
    for (int each : needed_to_join)
        require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, each, 0, 0), "pass capabilities on");
}

void drop_capabilities() {
    sets none{};
    bound_to(none);
    require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "drop the ambient capabilities");
    set_capabilities(none);
}

}  // namespace kernel
