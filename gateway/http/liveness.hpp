// Decides when a WebSocket's peer is pinged and when it is given up. A state machine without I/O; one per WebSocket.
//
// A peer is dead when for two intervals nothing came from it although it was pinged. A peer that does not read is not
// dead: a ping waits behind its unread data, so while the kernel still holds bytes for it TCP's own word counts
// instead: its acknowledgements and its answers to window probes say that it is there, for as long as they come.
// (TCP_USER_TIMEOUT would also end a peer that answers every probe with a closed window.)
#pragma once

#include <chrono>

#include "gateway/http/tcp_health.hpp"

namespace gateway::http {

class liveness {
  public:
    enum class action { nothing, ping, end };

    explicit liveness(std::chrono::milliseconds interval);
    // How often tick() is to be called.
    std::chrono::milliseconds tick_time() const { return tick_; }
    // `reading`: somebody takes messages; when nobody does, a pong would not be seen and silence means nothing.
    action tick(const tcp_health& health, bool reading);

  private:
    std::chrono::milliseconds tick_;
    // Counted in ticks rather than read off a clock: a gateway that was itself suspended must not blame its peers.
    int silent_ticks_ = 0;
};

}  // namespace gateway::http
