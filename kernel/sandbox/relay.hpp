// For kernels that can only do TCP, in a network that nobody outside can connect into: a process of the box that takes
// connections on Unix sockets, which lie where the gateway reaches them, to ports of the box's loopback interface.
#pragma once

#include <vector>

#include "kernel/launcher/protocol.hpp"

namespace kernel {

// In init, when it has given up its rights: forks that process, which ends with the box. Throws box_error when a socket
// cannot be made.
void start_relay(const std::vector<tcp_relay>& what);

}  // namespace kernel
