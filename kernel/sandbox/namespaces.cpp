#include "kernel/sandbox/namespaces.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

bool may_administer() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capget, &header, data) != 0) return false;
    return (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) != 0;
}

void write_file(const char* path, const std::string& text) {
    file_descriptor file(require(open(path, O_WRONLY | O_CLOEXEC), std::string("open ") + path));
    require(write(file.get(), text.data(), text.size()), std::string("write ") + path);
}

}  // namespace

isolation needed_isolation() { return {!may_administer(), geteuid(), getegid()}; }

pid_t fork_into_namespaces(const isolation& how, file_descriptor& pidfd) {
    unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_PIDFD | SIGCHLD;
    if (how.user_namespace) flags |= CLONE_NEWUSER;
    int descriptor = -1;
    // One system call instead of unshare() and two forks; init is the launcher's own child.
    long pid = syscall(SYS_clone, flags, nullptr, &descriptor, nullptr, nullptr);
    require(pid, how.user_namespace ? "make user, mount, pid, ipc and uts namespaces"
                                    : "make mount, pid, ipc and uts namespaces");
    if (pid > 0) pidfd.reset(descriptor);
    return static_cast<pid_t>(pid);
}

void map_ids(const isolation& how) {
    if (!how.user_namespace) return;
    auto line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", line(how.uid));
    write_file("/proc/self/gid_map", line(how.gid));
}

void set_hostname(const std::string& name) {
    require(sethostname(name.data(), name.size()), "set the host name to " + name);
}

}  // namespace kernel
