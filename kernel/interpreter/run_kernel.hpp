// From a connection file to the end of the kernel. Main thread of a process whose interpreter is prepared.
#pragma once

#include <functional>
#include <string>

namespace kernel {

// `bound` is called when clients can connect. Ends the process. Throws std::runtime_error when the kernel cannot begin.
[[noreturn]] void run_kernel(const std::string& connection_file, const std::function<void()>& bound);

}  // namespace kernel
