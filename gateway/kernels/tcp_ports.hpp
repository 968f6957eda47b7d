// Ports for a kernel that cannot do ipc. Any thread.
#pragma once

#include <array>

#include "gateway/base/result.hpp"

namespace gateway::kernels {

// Five different loopback ports that nobody listened on a moment ago. Another process may take one before the kernel
// binds it: the kernel then fails, and is started again on others.
result<std::array<int, 5>> find_tcp_ports();

}  // namespace gateway::kernels
