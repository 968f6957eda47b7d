// What the kernel knows about a TCP peer (TCP_INFO). A file of its own: linux/tcp.h and Asio's netinet/tcp.h exclude
// each other.
#pragma once

#include <chrono>
#include <cstdint>

namespace gateway::http {

struct tcp_health {
    std::uint32_t unacknowledged = 0;  // segments in flight
    std::uint32_t unsent_bytes = 0;    // accepted from us, held back by the peer's window
    std::chrono::milliseconds since_data{};
    std::chrono::milliseconds since_acknowledgement{};
};

// All zero when the socket is closed.
tcp_health read_tcp_health(int fd);

}  // namespace gateway::http
