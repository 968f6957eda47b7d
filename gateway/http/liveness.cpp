#include "gateway/http/liveness.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

using std::chrono::milliseconds;

constexpr int ticks_per_interval = 4;
constexpr int ping_at = 3;  // silence of 3/4 to one interval
constexpr int end_at = 7;   // silence of 7/4 to two intervals
// Linux probes a closed window at most 120 s apart.
constexpr milliseconds longest_probe_gap{300'000};

bool is_silent(const tcp_health& health, bool reading, milliseconds tick) {
    if (health.unacknowledged > 0) return health.since_data > tick && health.since_acknowledgement > tick;
    if (health.unsent_bytes > 0) return false;  // its window is closed
    return reading && health.since_data > tick;
}

}  // namespace

liveness::liveness(milliseconds interval) : tick_(std::max(interval / ticks_per_interval, milliseconds(10))) {}

liveness::action liveness::tick(const tcp_health& health, bool reading) {
    silent_ticks_ = is_silent(health, reading, tick_) ? silent_ticks_ + 1 : 0;
    bool probes_unanswered = health.unsent_bytes > 0 && health.since_acknowledgement > longest_probe_gap;
    if (silent_ticks_ >= end_at || probes_unanswered) return action::end;
    return silent_ticks_ == ping_at ? action::ping : action::nothing;
}

}  // namespace gateway::http
