#include "kernel/sandbox/syscall_filter.hpp"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/syscall_lists.hpp"

namespace kernel {
namespace {

constexpr std::uint32_t refused = SCMP_ACT_ERRNO(EPERM);
constexpr scmp_datum_t namespace_flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                            CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
constexpr scmp_datum_t time_namespace = 0x80;  // for clone() that is a part of a signal's number
constexpr scmp_datum_t type_mask = 0xf;        // SOCK_CLOEXEC and SOCK_NONBLOCK lie above
constexpr scmp_datum_t highest_family = 63;
constexpr scmp_datum_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
constexpr scmp_datum_t set_ids = S_ISUID | S_ISGID;
constexpr scmp_datum_t devices = S_IFCHR & S_IFBLK;  // in the type of both, and of nothing else that can be made

class rules {
  public:
    rules() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), seccomp_release) {
        if (!context_) throw box_error("make a filter of system calls: no memory");
        // A call in the manner of another architecture (int 0x80, x32) is none of ours.
        done(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)), "other architectures");
        done(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 0), "no_new_privs");
        done(seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "a binary tree");
    }

    template <class... Comparisons>
    void add(std::uint32_t action, const char* call, Comparisons... comparisons) {
        const int number = seccomp_syscall_resolve_name(call);
        if (number == __NR_SCMP_ERROR) return;  // newer than libseccomp: ENOSYS
        done(seccomp_rule_add(context_.get(), action, number, sizeof...(comparisons), comparisons...), call);
    }

    std::vector<sock_filter> compile() const {
        file_descriptor file(require(memfd_create("filter", MFD_CLOEXEC), "make a file in memory"));
        done(seccomp_export_bpf(context_.get(), file.get()), "the program");
        const off_t size = require(lseek(file.get(), 0, SEEK_END), "measure a filter");
        std::vector<sock_filter> made(size / sizeof(sock_filter));
        require(pread(file.get(), made.data(), size, 0), "read a filter");
        return made;
    }

  private:
    static void done(int answer, const char* what) {
        if (answer < 0) throw_errno(std::string("make a filter of system calls: ") + what, -answer);
    }

    std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

void add_new_processes(rules& to) {
    scmp_datum_t all = 0;
    for (scmp_datum_t each : namespace_flags) {
        all |= each;
        for (const char* call : {"clone", "unshare"}) to.add(refused, call, SCMP_A0_64(SCMP_CMP_MASKED_EQ, each, each));
    }
    to.add(SCMP_ACT_ALLOW, "clone", SCMP_A0_64(SCMP_CMP_MASKED_EQ, all, 0));
    to.add(refused, "unshare", SCMP_A0_64(SCMP_CMP_MASKED_EQ, time_namespace, time_namespace));
    to.add(SCMP_ACT_ALLOW, "unshare", SCMP_A0_64(SCMP_CMP_MASKED_EQ, all | time_namespace, 0));
}

// Streams and datagrams; of the kernel's own families the one that getifaddrs() asks.
void add_sockets(rules& to) {
    for (scmp_datum_t family : {AF_UNIX, AF_INET, AF_INET6}) {
        for (scmp_datum_t type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET})
            to.add(SCMP_ACT_ALLOW, "socket", SCMP_A0_64(SCMP_CMP_EQ, family),
                   SCMP_A1_64(SCMP_CMP_MASKED_EQ, type_mask, type));
        for (scmp_datum_t type : {SOCK_RAW, SOCK_PACKET})
            to.add(refused, "socket", SCMP_A0_64(SCMP_CMP_EQ, family), SCMP_A1_64(SCMP_CMP_MASKED_EQ, type_mask, type));
    }
    to.add(SCMP_ACT_ALLOW, "socket", SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK), SCMP_A2_64(SCMP_CMP_EQ, NETLINK_ROUTE));
    to.add(refused, "socket", SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK), SCMP_A2_64(SCMP_CMP_NE, NETLINK_ROUTE));
    for (scmp_datum_t family = 0; family <= highest_family; ++family)
        if (std::ranges::find(families, family) == std::end(families))
            to.add(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", SCMP_A0_64(SCMP_CMP_EQ, family));
    to.add(SCMP_ACT_ALLOW, "socketpair", SCMP_A0_64(SCMP_CMP_EQ, AF_UNIX));
    to.add(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socketpair", SCMP_A0_64(SCMP_CMP_NE, AF_UNIX));
}

// Allowed when none of `bits` is set in the argument at which the mode is: 1 or 2.
template <class At>
void add_mode(rules& to, const char* call, scmp_datum_t bits, At at) {
    to.add(SCMP_ACT_ALLOW, call, at(bits, 0));
    for (scmp_datum_t each = 1; each <= bits; each <<= 1)
        if (bits & each) to.add(refused, call, at(each, each));
}

// A file with such a bit would give the rights of the gateway's user to whoever finds it outside.
void add_modes(rules& to) {
    auto second = [](scmp_datum_t mask, scmp_datum_t value) { return SCMP_A1_64(SCMP_CMP_MASKED_EQ, mask, value); };
    auto third = [](scmp_datum_t mask, scmp_datum_t value) { return SCMP_A2_64(SCMP_CMP_MASKED_EQ, mask, value); };
    for (const char* call : {"chmod", "fchmod", "creat"}) add_mode(to, call, set_ids, second);
    add_mode(to, "fchmodat", set_ids, third);
    add_mode(to, "mknod", set_ids | devices, second);
    add_mode(to, "mknodat", set_ids | devices, third);
}

// The mode counts only where a file is made. openat2() takes both by a pointer, which no filter can follow: ENOSYS.
void add_open(rules& to) {
    constexpr scmp_datum_t makes = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
    to.add(SCMP_ACT_ALLOW, "open", SCMP_A1_64(SCMP_CMP_MASKED_EQ, makes, 0));
    to.add(SCMP_ACT_ALLOW, "open", SCMP_A2_64(SCMP_CMP_MASKED_EQ, set_ids, 0));
    to.add(SCMP_ACT_ALLOW, "openat", SCMP_A2_64(SCMP_CMP_MASKED_EQ, makes, 0));
    to.add(SCMP_ACT_ALLOW, "openat", SCMP_A3_64(SCMP_CMP_MASKED_EQ, set_ids, 0));
    for (scmp_datum_t flag : {scmp_datum_t{O_CREAT}, makes & ~scmp_datum_t{O_CREAT}})
        for (scmp_datum_t bit : {S_ISUID, S_ISGID}) {
            to.add(refused, "open", SCMP_A1_64(SCMP_CMP_MASKED_EQ, flag, flag),
                   SCMP_A2_64(SCMP_CMP_MASKED_EQ, bit, bit));
            to.add(refused, "openat", SCMP_A2_64(SCMP_CMP_MASKED_EQ, flag, flag),
                   SCMP_A3_64(SCMP_CMP_MASKED_EQ, bit, bit));
        }
}

// Those of btrfs do not exist: a subvolume that a session makes has no limit, and one that it makes read-only can only
// be removed by whoever knows of that; and blocks that two files share count where they were written first, also when
// nothing is left there (so copy_file_range() does not exist either).
void add_device_controls(rules& to) {
    constexpr scmp_datum_t of_btrfs = scmp_datum_t{BTRFS_IOCTL_MAGIC} << 8;
    for (scmp_datum_t bit = 0x100; bit < 0x10000; bit <<= 1)
        to.add(SCMP_ACT_ALLOW, "ioctl", SCMP_A1_64(SCMP_CMP_MASKED_EQ, bit, ~of_btrfs & bit));
}

void add_rest(rules& to) {
    // None but Linux's own, and which it is (0xffffffff).
    for (scmp_datum_t each : {0u, 0xffffffffu}) to.add(SCMP_ACT_ALLOW, "personality", SCMP_A0_64(SCMP_CMP_EQ, each));
    to.add(refused, "personality", SCMP_A0_64(SCMP_CMP_EQ, ADDR_NO_RANDOMIZE));
    to.add(SCMP_ACT_ALLOW, "prctl", SCMP_A0_64(SCMP_CMP_NE, PR_SET_MM));
    to.add(refused, "prctl", SCMP_A0_64(SCMP_CMP_EQ, PR_SET_MM));
}

}  // namespace

syscall_filter::syscall_filter() {
    rules all;
    for (const char* each : allowed_calls) all.add(SCMP_ACT_ALLOW, each);
    for (const char* each : refused_calls) all.add(refused, each);
    add_new_processes(all);
    add_sockets(all);
    add_modes(all);
    add_open(all);
    add_device_controls(all);
    add_rest(all);
    program_ = all.compile();
}

const syscall_filter& syscall_filter::of_boxes() {
    static const syscall_filter made;
    return made;
}

void syscall_filter::apply() const {
    const sock_fprog program{static_cast<unsigned short>(program_.size()), const_cast<sock_filter*>(program_.data())};
    require(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), "filter system calls");
}

}  // namespace kernel
