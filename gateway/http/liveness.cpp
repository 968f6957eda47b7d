#include "gateway/http/liveness.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

using std::chrono::milliseconds;

// A byte that came just after the last look is a whole tick old now, and ticks come late: silence is counted from one
// and a half. So n silent ticks are a silence of n + 1/2 to n + 3/2.
constexpr int ticks_per_interval = 8;
constexpr int ping_at = 6;  // at most one interval
constexpr int end_at = 14;  // at most two
// Linux probes a closed window at most 120 s apart.
constexpr milliseconds longest_probe_gap{300'000};

bool is_silent(const tcp_health& health, bool reading, milliseconds tick) {
    auto recent = tick * 3 / 2;
    if (health.unacknowledged > 0) return health.since_data > recent && health.since_acknowledgement > recent;
    if (health.unsent_bytes > 0) return false;  // its window is closed
    return reading && health.since_data > recent;
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
