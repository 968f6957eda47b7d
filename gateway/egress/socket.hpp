// A byte stream: a connection from the session's network, or TCP to a destination, as one type so that what carries
// bytes is built once. io thread.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/base/async.hpp"

namespace gateway::egress {

using socket = asio::generic::stream_protocol::socket;
using boost::system::error_code;

// Opens `into` to the address; unavailable.
awaitable<result<void>> connect(socket& into, asio::ip::tcp::endpoint where);
// What has come, into memory that outlives the read; 0 with an error.
awaitable<std::pair<error_code, std::size_t>> read_some(socket& from, char* into, std::size_t size);
// All of it; false when the peer does not take it.
awaitable<bool> write_all(socket& to, std::string_view bytes);
// Reads until `buffer` holds a head with its empty line, which is taken out of it. Empty when the peer closed before
// the first byte. too_large, which names network.max_head_bytes; peer_gone.
awaitable<result<std::string>> read_head(socket& from, std::string& buffer, std::size_t max_bytes);
void close(socket& which);

}  // namespace gateway::egress
