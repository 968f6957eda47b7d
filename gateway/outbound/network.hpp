// A range of addresses, as an operator writes it: 10.1.0.0/16, fd12::/16, or one address. A value; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::outbound {

namespace asio = boost::asio;

struct network {
    asio::ip::address base;
    unsigned short prefix = 0;  // bits

    // Of the same family only: 10.0.0.0/8 does not hold ::ffff:10.0.0.1.
    bool contains(const asio::ip::address& address) const;
    bool operator==(const network&) const = default;
};

// invalid_request says what to write.
result<network> parse_network(std::string_view text);

}  // namespace gateway::outbound
