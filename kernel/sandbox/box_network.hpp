// The network of a box that has a namespace of its own: a loopback interface, and one listener on it. There is no other
// way out, and none can be made from inside.
#pragma once

#include <netinet/in.h>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

// In init, with its first rights: brings the loopback interface up, and listens at 127.0.0.1:proxy_port
// (kernel/launcher/protocol.hpp). Throws box_error.
file_descriptor open_network();

// 127.0.0.1 with that port.
sockaddr_in loopback(int port);

}  // namespace kernel
