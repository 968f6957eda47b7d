// Which Python a kernelspec's kernel runs with. Reads the file system; any thread.
#pragma once

#include <string>

#include "gateway/kernels/kernelspec.hpp"

namespace gateway::kernels {

// The interpreter's absolute path: of the environment that the spec names, of its argv, or of where it was installed.
// Empty when none is there, or when it is no Python kernel.
std::string python_of(const kernelspec& spec);

}  // namespace gateway::kernels
