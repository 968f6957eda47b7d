#include "kernel/sandbox/namespaces.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/capabilities.hpp"

namespace kernel {
namespace {

void write_file(const char* path, const std::string& text) {
    file_descriptor file(require(open(path, O_WRONLY | O_CLOEXEC), std::string("open ") + path));
    require(write(file.get(), text.data(), text.size()), std::string("write ") + path);
}

// One system call instead of unshare() and two forks; the child is the caller's own.
pid_t fork_into(unsigned long namespaces, file_descriptor& pidfd, const std::string& name) {
    int descriptor = -1;
    long pid = syscall(SYS_clone, namespaces | CLONE_PIDFD | SIGCHLD, nullptr, &descriptor, nullptr, nullptr);
    require(pid, "make " + name);
    if (pid > 0) pidfd.reset(descriptor);
    return static_cast<pid_t>(pid);
}

}  // namespace

isolation needed_isolation() { return {!may_administer(), geteuid(), getegid()}; }

void enter_user_namespace(const isolation& how) {
    require(unshare(CLONE_NEWUSER), "make a user namespace");
    map_ids(how);
    keep_box_capabilities();
}

pid_t fork_into_namespaces(const isolation& how, file_descriptor& pidfd) {
    constexpr unsigned long always = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    if (!how.user_namespace) return fork_into(always, pidfd, "mount, pid, ipc and uts namespaces");
    return fork_into(always | CLONE_NEWUSER, pidfd, "user, mount, pid, ipc and uts namespaces");
}

pid_t fork_into_mount_namespace(file_descriptor& pidfd) {
    return fork_into(CLONE_NEWNS, pidfd, "a mount namespace for a zygote");
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
