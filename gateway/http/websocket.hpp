// A WebSocket after its 101, free of Beast (whose WebSocket is compiled in websocket.cpp alone). One owner; io thread.
// One reader and one writer at a time. One message is read ahead, so pings are answered and pongs seen also while
// nobody waits in read().
//
// Liveness: with server.ws_ping_interval_s > 0 an idle peer is pinged (empty payload) once an interval, and cut (reset)
// after two intervals of silence. A peer that does not read, with bytes waiting for it, is kept for as long as its TCP
// answers: liveness.hpp has the rule.
#pragma once

#include <boost/asio/buffer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

// RFC 6455 section 7.4.1 and the codes registered after it, as far as they are sent.
enum class close_code : std::uint16_t {
    normal = 1000,  // Lab does not reconnect: only for "kernel deleted"
    policy = 1008,  // the key was revoked
    too_big = 1009,
    internal_error = 1011,
    service_restart = 1012,
};

class websocket {
  public:
    struct incoming {
        bool binary = false;
        std::string bytes;
    };

    virtual ~websocket() = default;
    // The next whole message. Cancelling it loses nothing. A message over the limit ends the connection with 1009 and a
    // reason that names the limit and the setting (errc::too_large); errc::peer_gone when the peer closed or was cut.
    virtual awaitable<result<incoming>> read() = 0;
    // Sends one message, one frame, made of `parts` in order, without copying them; they outlive the await. Cancelling
    // it cuts the connection: half a frame may be out. errc::peer_gone when it cannot.
    virtual awaitable<result<void>> write(bool binary, std::vector<boost::asio::const_buffer> parts) = 0;
    // `payload` at most 125 bytes.
    virtual awaitable<result<void>> ping(std::string payload) = 0;
    // Called with each pong's payload, those that answer no ping of ours and the empty ones of the keep-alive too.
    virtual void on_pong(std::function<void(std::string_view)> callback) = 0;
    // Sends a close frame (reason at most 123 bytes), waits for the peer's at most 2 s, and ends; read() then fails.
    // The first close decides code and reason. May be called while read() and write() wait elsewhere.
    virtual awaitable<void> close(close_code code, std::string reason) = 0;
    // Ends at once, without a close frame; a close that has begun (by close(), or for a message over the limit) still
    // goes to its own end.
    virtual void abort() = 0;
    // When the kernel last received bytes from the peer, whether read() has taken them or not.
    virtual std::chrono::steady_clock::time_point last_received() const = 0;
    virtual const std::string& subprotocol() const = 0;
};

// Serves one connection; the connection ends when it returns. Cancelled when the server stops.
using websocket_handler = std::function<awaitable<void>(const request&, websocket&)>;

// What is needed before the 101: which subprotocol to answer, out of the offered (token subprotocols removed), empty
// for none; or a failure, sent as a plain HTTP answer.
struct websocket_route {
    std::function<awaitable<result<std::string>>(const request&, const std::vector<std::string>& offered)> accept;
    websocket_handler serve;
};

}  // namespace gateway::http
