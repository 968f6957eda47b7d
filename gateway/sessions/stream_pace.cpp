#include "gateway/sessions/stream_pace.hpp"

#include <algorithm>

namespace gateway::sessions {
namespace {

constexpr std::size_t free_bytes = 256u << 10;   // text that is drawn in no time
constexpr std::size_t drawn_in_a_ms = 2u << 10;  // waiting so, a client is at work at most about half of the time
constexpr milliseconds longest_wait{4'000};

bool is_stream(const entry& each) { return each.kind == entry_kind::message && each.type == "stream"; }

}  // namespace

milliseconds stream_pace::wait(const std::vector<shared_entry>& read, clock::time_point now) const {
    std::size_t waiting = 0;
    for (const auto& each : read) {
        if (!is_stream(*each) || each->parent != parent_) return milliseconds(0);
        waiting += each->size();
    }
    if (bytes_ < free_bytes || waiting >= std::min(bytes_, most_text)) return milliseconds(0);
    auto longest = std::min(milliseconds(bytes_ / drawn_in_a_ms), longest_wait);
    return std::max(milliseconds(0), longest - std::chrono::duration_cast<milliseconds>(now - last_));
}

void stream_pace::sent(const std::vector<shared_entry>& entries, clock::time_point now) {
    for (const auto& each : entries) {
        if (each->type == "clear_output") bytes_ = 0;
        if (!is_stream(*each)) continue;
        if (each->parent != parent_) bytes_ = 0;
        parent_ = each->parent;
        bytes_ += each->size();
        last_ = now;
    }
}

}  // namespace gateway::sessions
