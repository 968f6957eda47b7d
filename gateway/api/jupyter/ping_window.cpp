#include "gateway/api/jupyter/ping_window.hpp"

#include <charconv>

namespace gateway::api::jupyter {
namespace {

// Tells our pings from the keep-alive's.
constexpr std::string_view prefix = "seq ";

}  // namespace

void ping_window::writing(std::uint64_t seq, std::size_t bytes) {
    writing_seq_ = seq;
    writing_bytes_ = bytes;
}

void ping_window::written(time_point now) {
    if (writing_seq_ == 0) return;
    if (unpinged_bytes_ == 0) first_unpinged_ = now;
    unpinged_bytes_ += writing_bytes_;
    written_bytes_ += writing_bytes_;
    written_seq_ = writing_seq_;
    if (writing_bytes_ > large_message) large_seq_ = writing_seq_;
    writing_seq_ = 0;
}

std::optional<ping_window::time_point> ping_window::due() const {
    if (unpinged_bytes_ == 0) return std::nullopt;
    return unpinged_bytes_ >= max_bytes ? first_unpinged_ : first_unpinged_ + max_wait;
}

std::string ping_window::take_ping() {
    unpinged_bytes_ = 0;
    pinged_seq_ = written_seq_;
    pings_.emplace_back(pinged_seq_, written_bytes_);
    return std::string(prefix) + std::to_string(pinged_seq_);
}

std::optional<std::uint64_t> ping_window::pong(std::string_view payload) {
    if (payload.substr(0, prefix.size()) != prefix) return std::nullopt;
    payload.remove_prefix(prefix.size());
    std::uint64_t seq = 0;
    auto [end, error] = std::from_chars(payload.data(), payload.data() + payload.size(), seq);
    if (error != std::errc() || end != payload.data() + payload.size() || seq > pinged_seq_) return std::nullopt;
    if (seq >= large_seq_) large_seq_ = 0;
    for (; !pings_.empty() && pings_.front().first <= seq; pings_.pop_front())
        acknowledged_bytes_ = pings_.front().second;
    return seq;
}

}  // namespace gateway::api::jupyter
