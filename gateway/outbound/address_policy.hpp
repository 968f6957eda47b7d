// Which addresses the gateway may be made to connect to. It is asked about every address that a name resolved to, just
// before connecting, so that a name cannot mean another address later. A value; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/outbound/network.hpp"

namespace gateway::outbound {

struct address_policy {
    bool loopback = false;          // 127.0.0.0/8, ::1
    bool private_networks = false;  // RFC 1918, carrier NAT, unique local IPv6
    std::vector<network> named;     // may be reached besides

    // For what an operator wrote into the configuration: this machine and its networks too. Nothing opens link-local
    // addresses and the others at which clouds serve a machine's credentials (169.254.169.254 and its like).
    static address_policy configured() { return {true, true, {}}; }
    static address_policy public_only() { return {}; }
};

// forbidden, with the address and its kind, when it may not be reached. An IPv4 address inside an IPv6 one (mapped,
// NAT64, 6to4) is judged as what it stands for.
result<void> check(const address_policy& policy, const asio::ip::address& where);

}  // namespace gateway::outbound
