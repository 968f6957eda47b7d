#include "kernel/sandbox/box_error.hpp"

#include <cerrno>
#include <cstring>

namespace kernel {
namespace {

const char* hint(int number) {
    if (number == EPERM)
        return ": this machine does not allow it: run as root, or allow unprivileged user namespaces (sysctl "
               "kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0); inside a container, its "
               "seccomp, AppArmor and /proc masks must allow them too";
    if (number == ENOSPC || number == EUSERS)
        return ": a limit on namespaces or mounts is reached: raise sysctl user.max_user_namespaces, "
               "user.max_mnt_namespaces, user.max_pid_namespaces or fs.mount-max";
    if (number == EMFILE || number == ENFILE) return ": raise the limit on open files (ulimit -n, LimitNOFILE=)";
    if (number == EAGAIN) return ": raise the limit on processes (ulimit -u, TasksMax=, pids.max)";
    return "";
}

}  // namespace

void throw_errno(const std::string& what, int number) {
    throw box_error(what + ": " + std::strerror(number) + hint(number));
}

void throw_errno(const std::string& what) { throw_errno(what, errno); }

}  // namespace kernel
