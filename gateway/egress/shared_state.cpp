#include "gateway/egress/shared_state.hpp"

#include <utility>
#include <vector>

#include "gateway/egress/connection.hpp"

namespace gateway::egress {
namespace {

meter_events stopping_all(shared_state& of, meter_events tell) {
    auto told = std::move(tell.used_up);
    tell.used_up = [&of, told = std::move(told)](std::uint64_t max_bytes) {
        of.for_each([](connection& each) { each.stop_reading(); });
        if (told) told(max_bytes);
    };
    return tell;
}

}  // namespace

shared_state::shared_state(executor on, policy by, options limits, meter_events tell)
    : ex(on),
      what(std::move(by)),
      how(std::move(limits)),
      counted(how.max_destinations, stopping_all(*this, std::move(tell))),
      tasks(std::move(on)) {
    counted.set_ceiling(what.max_bytes);
}

void shared_state::for_each(const std::function<void(connection&)>& visit) {
    std::vector<std::weak_ptr<connection>> all;
    for (auto* each : connections) all.push_back(each->weak_from_this());
    for (auto& each : all)
        if (auto alive = each.lock()) visit(*alive);
}

}  // namespace gateway::egress
