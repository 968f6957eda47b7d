// A Jupyter client's place in a session: what it has been sent, what it acknowledged, and what it may still be sent
// again. One object a connection; api/jupyter/channels drives it. io thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "messaging/message.hpp"

namespace gateway::sessions {

enum class client_end : std::uint8_t {
    none,
    replaced,        // the same session_id connected again
    kernel_deleted,  // close with 1000
    session_ended,   // close with 1000
    gateway_ended,   // all was told; close with 1012
};

struct delivery {
    std::uint64_t seq = 0;  // 0: made for this connection (status, a pending input_request), not in the log
    messaging::shared_message message;
    bool merged = false;  // the log joined several streams in it
};

class jupyter_client {
  public:
    virtual ~jupyter_client() = default;
    // The next messages for this client, in order, at least one: waits. Empty: end() says why, or the caller was
    // cancelled.
    virtual awaitable<std::vector<delivery>> next(std::size_t max_bytes) = 0;
    virtual client_end end() const = 0;
    // The peer has everything up to `seq`: replay after a cut starts behind it.
    virtual void acknowledge(std::uint64_t seq) = 0;
    // Forwards to the kernel, at once and in order; held while the kernel starts. A dead kernel is answered in its
    // place.
    virtual result<void> send(messaging::message what) = 0;
    // The connection is gone. `sending` is the seq whose write failed, 0 when none was being written: a message over
    // 8 MiB is not sent again, a stderr note is sent in its place.
    virtual void disconnected(std::uint64_t sending) = 0;
};

}  // namespace gateway::sessions
