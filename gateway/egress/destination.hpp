// Where a connection of a session is to go: a name or an address, and a port. A value; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::egress {

namespace asio = boost::asio;

struct destination {
    std::string host;                          // lower case, without a dot at its end and without brackets
    std::uint16_t port = 0;                    // never 0 once parsed
    std::optional<asio::ip::address> address;  // of a host that is one

    // "host:port", an IPv6 address in brackets.
    std::string text() const;
    bool operator==(const destination&) const = default;
};

// A name in lower case without its last dot. invalid_request: characters other than letters, digits, - and _ (names in
// other scripts are written as xn--…), labels that DNS does not have, and what resolvers would take for an address.
result<std::string> parse_name(std::string_view text);
// "host", "host:port", "[address]:port"; without a port, `default_port` counts, or it is an error if that is 0.
// An address has one spelling: four decimal numbers, or an IPv6 address that stands for no IPv4 one and has no scope.
result<destination> parse_destination(std::string_view text, std::uint16_t default_port);

}  // namespace gateway::egress
