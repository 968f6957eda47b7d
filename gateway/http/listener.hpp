// The listening socket. Owned by the server; io thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "gateway/base/async.hpp"

namespace gateway::http {

// Listens on `host`, an address or a name ("", "*": every address). io_error says which address and what to do.
result<asio::ip::tcp::acceptor> open_listener(executor ex, const std::string& host, std::uint16_t port);
// Listens on a Unix socket that everyone may connect to who can enter its directory; a file that is there is replaced.
// The acceptor and what it accepts are TCP's by type only: nothing above the descriptor differs.
result<asio::ip::tcp::acceptor> open_unix_listener(executor ex, const std::string& path);
// "127.0.0.1"; "unix" for a Unix socket; IPv4-mapped addresses as IPv4.
std::string describe_peer(const asio::ip::tcp::socket& of);

}  // namespace gateway::http
