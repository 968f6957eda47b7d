// What a Jupyter connection was sent and has not acknowledged, and when to ask: a ping carries the last seq written,
// its pong acknowledges it. No I/O, no clock; one owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gateway::api::jupyter {

class ping_window {
  public:
    using time_point = std::chrono::steady_clock::time_point;

    // At most this much, or this long, is written before a ping asks for it.
    static constexpr std::size_t max_bytes = 64u << 10;
    static constexpr std::chrono::milliseconds max_wait{100};
    static constexpr std::size_t max_unacknowledged = 512u << 10;
    // Clients cap a message at 10 MiB and cut the connection over it, often after all of it left here.
    static constexpr std::size_t large_message = 8u << 20;

    // A write begins, and has succeeded. `seq` 0 is not in the log: there is nothing to acknowledge.
    void writing(std::uint64_t seq, std::size_t bytes);
    void written(time_point now);

    // When a ping is due; nullopt while nothing was written since the last one. The past means at once.
    std::optional<time_point> due() const;
    // The payload that asks for everything written so far.
    std::string take_ping();
    // The seq that a pong acknowledges; nullopt for a pong that answers none of our pings.
    std::optional<std::uint64_t> pong(std::string_view payload);

    // A large message is on its way: nothing may follow it until it is acknowledged, so that one message at most is in
    // doubt when the connection dies.
    bool large_in_doubt() const { return large_seq_ != 0; }
    // The peer is behind: more than max_unacknowledged was written since the last pong. What waits meanwhile is merged
    // by the log instead of filling the sockets' buffers.
    bool is_behind() const { return written_bytes_ - acknowledged_bytes_ > max_unacknowledged; }
    // The message that was being sent when the connection died: the one whose write did not end, or a large one that
    // was not acknowledged; 0 when there is none.
    std::uint64_t in_doubt() const { return writing_seq_ ? writing_seq_ : large_seq_; }

  private:
    std::uint64_t writing_seq_ = 0;
    std::size_t writing_bytes_ = 0;
    std::uint64_t written_seq_ = 0;
    std::uint64_t pinged_seq_ = 0;
    std::uint64_t large_seq_ = 0;
    std::size_t unpinged_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
    std::uint64_t acknowledged_bytes_ = 0;
    std::deque<std::pair<std::uint64_t, std::uint64_t>>
        pings_;  // seq of each open ping, and what was written before it
    time_point first_unpinged_{};
};

}  // namespace gateway::api::jupyter
