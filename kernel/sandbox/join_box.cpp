#include "kernel/sandbox/join_box.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {

file_descriptor own_pid_namespace() {
    return file_descriptor(
        require(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC), "open the zygote's own pid namespace"));
}

pid_t fork_into_box(const file_descriptor& own, int init, const std::function<pid_t()>& fork) {
    require(setns(init, CLONE_NEWPID), "join the box's pid namespace");
    pid_t pid = fork();
    if (pid == 0) return 0;
    const int reason = errno;
    // An ordinary user may not name the host's pid namespace again, and keeps this one in mind until the next fork.
    if (setns(own.get(), CLONE_NEWPID) != 0 && errno != EPERM) _exit(1);
    if (pid < 0) throw_errno("fork", reason);
    return pid;
}

void join_box(int init, const isolation& how) {
    // One call, so that the box's user namespace gives an ordinary user the right to join the others, which belong to
    // it.
    const int namespaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP |
                           (how.user_namespace() ? CLONE_NEWUSER : 0) | (how.own_network ? CLONE_NEWNET : 0);
    require(setns(init, namespaces), "join the box's namespaces");
}

}  // namespace kernel
