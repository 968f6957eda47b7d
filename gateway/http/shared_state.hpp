// What the server and its connections share. Connections hold it, so that it outlives the server object; io thread.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_set>

#include "gateway/http/admission.hpp"
#include "gateway/http/server.hpp"
#include "gateway/http/waiting_line.hpp"

namespace gateway::http {

struct shared_state {
    shared_state(executor ex, server_options options) : options(std::move(options)), one_left(std::move(ex)) {}

    const server_options options;
    std::optional<admission> gate;  // set by listen(), before the first connection
    std::unique_ptr<asio::ssl::context> tls;
    std::unordered_set<connection*> connections;
    waiting_line waiting;          // for a request, or the rest of one, or TLS's handshake
    std::size_t replaced = 0;      // of these, those that end for another
    std::size_t bodies_bytes = 0;  // of large bodies, see max_bodies_bytes
    std::size_t staying() const { return connections.size() - replaced; }

    event one_left;  // notified when a connection ends
    bool stopping = false;
};

}  // namespace gateway::http
