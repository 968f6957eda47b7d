#include "kernel/sandbox/namespaces.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/capabilities.hpp"

namespace kernel {
namespace {

void write_file(const std::string& path, const std::string& text) {
    file_descriptor file(require(open(path.c_str(), O_WRONLY | O_CLOEXEC), "open " + path));
    require(write(file.get(), text.data(), text.size()), "write " + path);
}

// As only the machine's first user namespace does.
bool has_every_id() {
    std::ifstream map("/proc/self/uid_map");
    unsigned long inside = 1, outside = 1, count = 0;
    return map >> inside >> outside >> count && inside == 0 && outside == 0 && count == 0xffffffff;
}

// Without it an ordinary user may map no group.
void forbid_groups() { write_file("/proc/self/setgroups", "deny"); }

// Cheaper than to move it later: that waits for every processor. Not before Linux 5.7, nor where clone3() is filtered.
pid_t fork_into_group(unsigned long namespaces, file_descriptor& pidfd, const file_descriptor& group) {
    int descriptor = -1;
    clone_args how{};
    how.flags = namespaces | CLONE_PIDFD | CLONE_INTO_CGROUP;
    how.pidfd = reinterpret_cast<std::uintptr_t>(&descriptor);
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<std::uint64_t>(group.get());
    const long pid = syscall(SYS_clone3, &how, sizeof how);
    if (pid > 0) pidfd.reset(descriptor);
    return static_cast<pid_t>(pid);
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

isolation possible_isolation(bool confined) {
    return {!may_administer() || !has_every_id(), confined, false, geteuid(), getegid()};
}

void enter_user_namespace(const isolation& how) {
    require(unshare(CLONE_NEWUSER), "make a user namespace");
    forbid_groups();
    write_mappings("/proc/self", {how.uid, how.uid}, {how.gid, how.gid});
    keep_box_capabilities();
}

pid_t fork_into_namespaces(const isolation& how, file_descriptor& pidfd, file_descriptor& group) {
    unsigned long all = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    std::string names = "mount, pid, ipc and uts";
    if (how.own_network) {
        all |= CLONE_NEWNET;
        names = "network, " + names;
    }
    if (how.unprivileged) {
        all |= CLONE_NEWUSER;
        names = "user, " + names;
    }
    if (group) {
        const pid_t pid = fork_into_group(all, pidfd, group);
        if (pid >= 0) return pid;
        group.reset();
    }
    return fork_into(all, pidfd, names + " namespaces");
}

void enter_control_namespace() { require(unshare(CLONE_NEWCGROUP), "make a cgroup namespace"); }

pid_t fork_into_mount_namespace(file_descriptor& pidfd) {
    return fork_into(CLONE_NEWNS, pidfd, "a mount namespace for a zygote");
}

pid_t fork_into_user_namespace() {
    return static_cast<pid_t>(require(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr),
                                      "make a user namespace"));
}

void write_mappings(const std::string& process, const id_mapping& users, const id_mapping& groups) {
    auto line = [](const id_mapping& one) {
        return std::to_string(one.inside) + " " + std::to_string(one.outside) + " 1\n";
    };
    write_file(process + "/uid_map", line(users));
    write_file(process + "/gid_map", line(groups));
}

void map_box_user(const isolation& how) {
    forbid_groups();
    write_mappings("/proc/self", {id_inside, how.uid}, {id_inside, how.gid});
}

void enter_user_namespace(const box_user& user) {
    require(setns(user.inside(), CLONE_NEWUSER), "enter the box's user namespace");
}

void set_hostname(const std::string& name) {
    require(sethostname(name.data(), name.size()), "set the host name to " + name);
}

}  // namespace kernel
