#include "gateway/kernels/tcp_ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gateway::kernels {
namespace {

// Holds a port while the others are chosen.
class held_port {
  public:
    held_port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (fd_ >= 0 && ::bind(fd_, generic, size) == 0 && ::getsockname(fd_, generic, &size) == 0)
            number_ = ntohs(address.sin_port);
    }
    ~held_port() {
        if (fd_ >= 0) ::close(fd_);
    }
    held_port(const held_port&) = delete;
    held_port& operator=(const held_port&) = delete;

    int number() const { return number_; }

  private:
    int fd_;
    int number_ = 0;
};

}  // namespace

result<std::array<int, 5>> find_tcp_ports() {
    std::array<held_port, 5> held;
    std::array<int, 5> ports{};
    for (std::size_t i = 0; i < held.size(); ++i) {
        ports[i] = held[i].number();
        if (ports[i] == 0)
            return failure{errc::kernel_start_failed,
                           std::string("no free port on 127.0.0.1 for a kernel: ") + std::strerror(errno)};
    }
    return ports;
}

}  // namespace gateway::kernels
