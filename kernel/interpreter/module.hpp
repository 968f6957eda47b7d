// `_cellgate`, the module through which Python code of the kernel reaches its C++ side. Its functions work on the
// kernel that runs in this process (kernel_process.hpp).
#pragma once

namespace kernel {

// Before the interpreter starts.
void register_module();

}  // namespace kernel
