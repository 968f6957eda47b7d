// Process 1 of a box: assembles it, starts the kernel as process 2 (or waits for the one that a zygote forks into the
// box), reaps whatever dies, and ends with the kernel. Its end ends everything inside.
#pragma once

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// In the child of fork_into_namespaces. Takes the descriptors: the socket of report.hpp, and the kernel's output.
// `user` is null where the box is an ordinary user's.
[[noreturn]] void run_init(const launch_request& what, const isolation& how, const box_user* user, int report_socket,
                           int output);

}  // namespace kernel
