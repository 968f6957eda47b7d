// What of the machine's file descriptors connections may take.
#pragma once

#include <cstdint>

namespace gateway::server {

// Raises the process's limit as far as the machine allows; what it is then.
std::uint64_t raise_descriptor_limit();
// `wanted` connections, or half of the descriptors: kernels, logs and files need the others. A warning in the log names
// server.max_connections when that is less.
std::int64_t fit_connections(std::int64_t wanted, std::uint64_t descriptors);

}  // namespace gateway::server
