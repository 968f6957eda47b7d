// Accepts connections, speaks HTTP/1.1 (and TLS), checks Host, Origin, credentials and sizes, and calls routes.
// Owned by main; io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/http/authenticator.hpp"
#include "gateway/http/router.hpp"

namespace gateway::http {

struct server_options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8888;  // 0 picks one
    std::string unix_socket;    // a path: listens there instead, for everyone who can enter its directory
    std::string base_url = "/";
    std::string tls_certificate;  // paths; empty: plain HTTP
    std::string tls_key;
    std::string tls_client_ca;
    bool trust_xheaders = false;
    bool allow_remote_access = false;  // Host other than loopback names and addresses
    std::vector<std::string> local_hostnames = {"localhost"};
    std::string allow_origin;          // CORS: an origin, "*", or empty for same-origin only
    std::string allow_origin_pattern;  // a regular expression
    bool allow_credentials = false;
    std::string allow_headers;
    std::string allow_methods;
    std::string expose_headers;
    std::string max_age;
    std::size_t max_body_bytes = 512u << 20;
    std::string max_body_advice = "raise server.max_body_bytes";  // what an error says to do
    // Of all bodies of over 1 MiB that are being received or handled at a time; 0: no limit. Past it: 503.
    std::size_t max_bodies_bytes = 0;
    std::size_t max_header_bytes = 64u << 10;
    std::size_t ws_max_message_bytes = 128u << 20;
    int ws_ping_interval_s = 30;
    int request_header_timeout_s = 30;
    int idle_connection_timeout_s = 120;
    // While a body comes or an answer goes, the client may be silent for this long; it is also how long one that has
    // vanished is believed in.
    int stall_timeout_s = 60;
    std::size_t min_bytes_per_s = 240;  // in the long run, of a body and of an answer; 0: no limit
    // One connection more ends the one that has waited longest for a request, or for the rest of one. It gets 503
    // itself when all the others are being answered, or are WebSockets.
    std::size_t max_connections = 10000;
    // A handler is cancelled when its client has gone before the answer. Off: a request does its work all the same.
    bool cancel_abandoned = false;
};

class server {
  public:
    // `routes` and `keys` outlive the server.
    server(executor ex, server_options options, const router& routes, authenticator& keys);
    ~server();

    // Binds; io_error with the address and what to do when it cannot. Then port() is known.
    result<void> listen();
    std::uint16_t port() const;
    // Serves until stop().
    awaitable<void> run();
    // From now on nothing new: no connection is accepted, a further request gets 503, idle connections end. What is
    // being answered goes on, and so do WebSockets.
    void refuse_new();
    // Until every connection has ended by itself, or `limit` has passed.
    awaitable<void> drain(milliseconds limit);
    // Refuses what is new, closes every WebSocket with 1012, waits for requests for at most `limit`, then ends them.
    awaitable<void> stop(milliseconds limit = milliseconds(5'000));
    // Closes (1008) the sockets of a revoked key within a second.
    void close_key(const std::string& key_id);
    std::size_t connections() const;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::http
