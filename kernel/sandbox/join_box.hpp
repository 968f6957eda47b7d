// Becoming a process of a box that was assembled before. In a process that forks into it (a zygote, or the one that
// start_guest() makes), then in its forked child; one thread each.
#pragma once

#include <sys/types.h>

#include <functional>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// The pid namespace of the calling process, to come back to.
file_descriptor own_pid_namespace();

// Calls `fork` so that the child is born into the pid namespace of the box whose init `init` is (a pidfd). In the
// parent (if it is root) other forks are as before. Returns what `fork` returned; throws box_error when that was -1, or
// the box has gone.
pid_t fork_into_box(const file_descriptor& own, int init, const std::function<pid_t()>& fork);

// In the child: the box's other namespaces and its root, with all rights there until confine().
void join_box(int init, const isolation& how);

}  // namespace kernel
