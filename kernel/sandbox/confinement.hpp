// The rights of what runs in a box: none. The same for its init and the kernel that this executes, for a kernel that a
// zygote forks, and for a program beside a kernel.
#pragma once

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// For the calling process, which is in the box's namespaces, and all that it starts: the box's user, no capabilities
// and none to be had, no_new_privs, the box's file wall, the system calls of syscall_filter. Unless `how` says that
// boxes are not confined: then what a program executed there would have. Throws box_error.
void confine(const isolation& how, const file_descriptor& wall);

}  // namespace kernel
