// The limits of a session's proxy, and what it reaches names and addresses by. A value; any thread.
#pragma once

#include <cstddef>

#include "gateway/base/async.hpp"
#include "gateway/outbound/address_policy.hpp"
#include "gateway/outbound/lookup.hpp"

namespace gateway::egress {

// Each limit is the setting network.NAME (a time network.NAME_s, in seconds), and errors name it so.
struct options {
    outbound::address_policy reach;    // network.allow_networks are its named ones
    outbound::resolver names;          // outbound::make_threaded_resolver's; none: asio's, of which there is one thread
    std::size_t max_connections = 64;  // of a session at once
    std::size_t max_head_bytes = 32u << 10;   // of a request or an answer
    std::size_t max_hello_bytes = 64u << 10;  // of a ClientHello
    std::size_t max_destinations = 200;       // rows in each table of the meter
    std::size_t buffer_bytes = 64u << 10;     // what a connection keeps each way
    milliseconds head_timeout{10'000};        // for a request's head, and for a ClientHello
    milliseconds connect_timeout{10'000};     // for a name, and for each of its addresses
    milliseconds idle_timeout{300'000};       // without a byte that passes, either way
};

}  // namespace gateway::egress
