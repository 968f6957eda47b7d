// The kernel's own process, from fork() to its program.
#pragma once

#include "kernel/launcher/protocol.hpp"

namespace kernel {

// In the forked child: a session and process group of its own, working directory, limits, signals, then the program.
// Tells `report_socket` that it was forked; throws box_error when the program cannot be started.
[[noreturn]] void run_program(const launch_request& what, int report_socket);

// What every kernel has of its own, in its own process: a session and process group, limits, and a working directory.
// Tells `report_socket` that it was forked; throws box_error.
void begin_session(const std::string& working_dir, int report_socket);

// execve() of argv[0]; throws box_error.
[[noreturn]] void execute(std::vector<std::string> argv, const std::map<std::string, std::string>& env);
// The same of a program that is looked up in the PATH of `env`, unless its name has a slash.
[[noreturn]] void find_and_execute(std::vector<std::string> argv, const std::map<std::string, std::string>& env);

}  // namespace kernel
