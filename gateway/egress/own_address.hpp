// Whether an address is one of this machine's, at which the gateway may listen, and others with it. Any thread.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace gateway::egress {

// As the interfaces are now; true as well when they cannot be listed.
bool is_own_address(const boost::asio::ip::address& which);

}  // namespace gateway::egress
