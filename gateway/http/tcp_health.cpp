#include "gateway/http/tcp_health.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace gateway::http {

tcp_health read_tcp_health(int fd) {
    tcp_info info{};
    socklen_t size = sizeof info;
    tcp_health health;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return health;
    health.unacknowledged = info.tcpi_unacked;
    health.unsent_bytes = info.tcpi_notsent_bytes;
    health.since_data = std::chrono::milliseconds(info.tcpi_last_data_recv);
    health.since_acknowledgement = std::chrono::milliseconds(info.tcpi_last_ack_recv);
    return health;
}

}  // namespace gateway::http
