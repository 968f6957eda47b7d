// When an MCP server is started, started again, left alone. No I/O, no clock: events in, one action out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gateway::tools {

enum class server_state : std::uint8_t {
    idle,      // not started yet: nobody has asked for it
    starting,  // from launch to the first list of tools
    ready,
    resting,  // failed; not before a certain time, and only when somebody asks
    stopped,
};

enum class server_action : std::uint8_t { none, start, refuse };

class server_fsm {
  public:
    using time = std::chrono::steady_clock::time_point;

    // Somebody needs the server. `refuse`: it rests until retry_at(), or is stopped.
    server_action on_wanted(time now);
    void on_started();
    // A call came back with whatever result: the server is sound.
    void on_answered();
    // It could not be started, ended, or hung. One that had been ready is started again at once, the first time since
    // it answered a call; otherwise it rests, 1 s at first and twice as long after each further failure, up to 60 s.
    server_action on_failed(time now, std::string why);
    void on_stop();

    server_state state() const { return state_; }
    const std::string& reason() const { return reason_; }  // of the last failure
    time retry_at() const { return retry_at_; }

  private:
    server_state state_ = server_state::idle;
    std::string reason_;
    time retry_at_{};
    unsigned failures_ = 0;
};

}  // namespace gateway::tools
