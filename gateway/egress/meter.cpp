#include "gateway/egress/meter.hpp"

#include <algorithm>
#include <utility>

namespace gateway::egress {
namespace {

void add(traffic& to, direction which, std::uint64_t bytes) {
    (which == direction::in ? to.bytes_in : to.bytes_out) += bytes;
}

}  // namespace

meter::meter(std::size_t max_destinations, meter_events tell, clock now)
    : max_destinations_(max_destinations), tell_(std::move(tell)), now_(std::move(now)) {}

void meter::set_ceiling(std::optional<std::uint64_t> max_bytes) {
    if (max_bytes == max_bytes_) return;
    max_bytes_ = max_bytes;
    told_ = false;
    tell_if_used_up();
}

void meter::count_connection(const destination& to) {
    ++all_.connections;
    ++destinations_.at(to.text(), max_destinations_).connections;
}

std::size_t meter::take(const destination& of, direction which, std::size_t wanted) {
    auto left = max_bytes_ ? *max_bytes_ - std::min(total(), *max_bytes_) : wanted;
    auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left));
    add(all_, which, taken);
    add(destinations_.at(of.text(), max_destinations_), which, taken);
    tell_if_used_up();
    return taken;
}

void meter::count_denied(const destination& to, denial why) {
    auto& row = denied_.at(to.text(), max_destinations_);
    row.last = now_();
    row.why = why;
    if (++row.count == 1 && tell_.denied) tell_.denied(to, why);
}

void meter::tell_if_used_up() {
    if (told_ || !is_used_up()) return;
    told_ = true;
    if (tell_.used_up) tell_.used_up(*max_bytes_);
}

}  // namespace gateway::egress
