#include "kernel/sandbox/box_network.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

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

file_descriptor open_network() {
    file_descriptor made(require(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "make a socket in the box's network"));
    bring_up(made.get(), "lo");
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(proxy_port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    require(bind(made.get(), reinterpret_cast<sockaddr*>(&where), sizeof where), "bind in the box's network");
    require(listen(made.get(), SOMAXCONN), "listen in the box's network");
    return made;
}

}  // namespace kernel
