// The kernel's own process, from fork() to its program.
#pragma once

#include "kernel/launcher/protocol.hpp"

namespace kernel {

// In the forked child: a session and process group of its own, working directory, limits, signals, then the program.
// Tells `report_socket` that it was forked; throws box_error when the program cannot be started.
[[noreturn]] void run_program(const launch_request& what, int report_socket);

}  // namespace kernel
