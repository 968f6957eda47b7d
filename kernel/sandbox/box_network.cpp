#include "kernel/sandbox/box_network.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

void bring_up(int socket, const char* interface) {
    ifreq what{};
    std::strncpy(what.ifr_name, interface, IFNAMSIZ - 1);
    require(ioctl(socket, SIOCGIFFLAGS, &what), "ask for the interface lo");
    what.ifr_flags |= IFF_UP;
    require(ioctl(socket, SIOCSIFFLAGS, &what), "bring up the interface lo");
}

}  // namespace

sockaddr_in loopback(int port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_port = htons(static_cast<std::uint16_t>(port));
    made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return made;
}

file_descriptor open_network() {
    file_descriptor made(require(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "make a socket in the box's network"));
    bring_up(made.get(), "lo");
    const sockaddr_in where = loopback(proxy_port);
    require(bind(made.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), "bind in the box's network");
    require(listen(made.get(), SOMAXCONN), "listen in the box's network");
    return made;
}

}  // namespace kernel
