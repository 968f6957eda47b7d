// Only a process with one thread may fork and go on: locks that other threads hold would never be released.
#pragma once

#include <string>

namespace kernel {

// Empty when the calling process has one thread; else what to tell, with the names of all. Throws box_error.
std::string more_than_one_thread();

}  // namespace kernel
