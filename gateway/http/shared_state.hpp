// What the server and its connections share. Connections hold it, so that it outlives the server object; io thread.
#pragma once

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>

#include "gateway/http/admission.hpp"
#include "gateway/http/server.hpp"

namespace gateway::http {

class connection;

struct shared_state {
    shared_state(executor ex, server_options options) : options(std::move(options)), one_left(std::move(ex)) {}

    const server_options options;
    std::optional<admission> gate;  // set by listen(), before the first connection
    std::unique_ptr<asio::ssl::context> tls;
    std::unordered_set<connection*> connections;
    std::size_t replaced = 0;      // of these, those that end for another
    std::size_t bodies_bytes = 0;  // of large bodies, see max_bodies_bytes
    std::size_t staying() const { return connections.size() - replaced; }

    event one_left;  // notified when a connection ends
    bool stopping = false;
};

// What the body of one request takes of max_bodies_bytes, until it goes.
class body_room {
  public:
    explicit body_room(shared_state& of) : of_(of) {}
    body_room(const body_room&) = delete;
    body_room& operator=(const body_room&) = delete;
    ~body_room() { of_.bodies_bytes -= taken_; }

    // False when there is not enough. A body that does not tell its size (`announced` 0) may take the whole `limit`.
    bool take(std::uint64_t announced, std::size_t limit) {
        auto most = of_.options.max_bodies_bytes;
        auto size = announced > 0 ? static_cast<std::size_t>(std::min<std::uint64_t>(announced, limit)) : limit;
        if (most == 0 || size <= small_body_bytes) return true;
        if (of_.bodies_bytes + size > most) return false;
        of_.bodies_bytes += taken_ = size;
        return true;
    }

  private:
    static constexpr std::size_t small_body_bytes = 1u << 20;

    shared_state& of_;
    std::size_t taken_ = 0;
};

}  // namespace gateway::http
