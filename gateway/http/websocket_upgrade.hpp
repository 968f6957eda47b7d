// From an admitted request to a WebSocket: the part of websocket.cpp that connections use. io thread.
#pragma once

#include <memory>
#include <string>

#include "gateway/http/cors.hpp"
#include "gateway/http/stream.hpp"
#include "gateway/http/websocket.hpp"

namespace gateway::http {

class upgraded_websocket : public websocket {
  public:
    // close() without waiting for its end; the first one decides code and reason.
    virtual void begin_close(close_code code, std::string reason) = 0;
    // Ends and joins what runs beside the handler. After it the stream is the connection's again.
    virtual awaitable<void> join() = 0;
};

struct upgrade_options {
    std::size_t max_message_bytes = 0;
    milliseconds ping_interval{};  // 0: off
    std::string subprotocol;
    header_list headers;  // on the 101
};

// The subprotocols a client offers, those that carry a key removed.
struct offered_subprotocols {
    std::vector<std::string> names;
    bool had_token = false;  // then, unless another is chosen, token_subprotocol itself is the answer
};
offered_subprotocols read_offered(const request& from);
// What the 101 would be refused for; the answer's status is 426 for another version than 13.
result<void> check_handshake(const request& from);

// Answers 101; peer_gone when it cannot. `owner` owns `over`.
awaitable<result<std::shared_ptr<upgraded_websocket>>> accept_websocket(stream& over, std::shared_ptr<void> owner,
                                                                        request from, upgrade_options options);

}  // namespace gateway::http
