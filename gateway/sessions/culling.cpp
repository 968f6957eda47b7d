// Which sessions end by themselves, and when an alias goes.
#include <nlohmann/json.hpp>

#include "gateway/base/log.hpp"
#include "gateway/sessions/live_registry.hpp"

namespace gateway::sessions {
namespace {

using std::chrono::steady_clock;

milliseconds since(wall_clock::time_point when) {
    return std::chrono::duration_cast<milliseconds>(wall_clock::now() - when);
}

// A kernelspec may say for itself how long it may idle: metadata.cull_idle_timeout, in seconds, as in jupyter_server.
milliseconds idle_of(const kernels::kernelspec& spec, milliseconds configured) {
    const auto metadata = nlohmann::json::parse(spec.metadata, nullptr, false);
    if (!metadata.is_object()) return configured;
    const auto own = metadata.find("cull_idle_timeout");
    if (own == metadata.end() || !own->is_number()) return configured;
    return milliseconds(static_cast<long long>(own->get<double>() * 1000));
}

bool passed(milliseconds limit, milliseconds elapsed) { return limit > milliseconds(0) && elapsed > limit; }

}  // namespace

std::optional<kernels::end_reason> live_registry::should_end(const session& which) const {
    const auto& options = which.options();
    const auto busy = which.busy_since();
    const auto idle_for = since(which.last_activity());
    if (options.made_by == origin::agent) {
        if (passed(options.lifetime.value_or(parts_.bounds.lifetime), since(which.created_at())))
            return kernels::end_reason::session_ended;
        if (!which.has_work() && which.connections() == 0 && which.agent_sockets() == 0 &&
            passed(options.idle_timeout.value_or(parts_.bounds.idle_timeout), idle_for))
            return kernels::end_reason::culled;
        return std::nullopt;
    }
    const auto& rules = parts_.culling;
    if (busy && passed(rules.busy, std::chrono::duration_cast<milliseconds>(steady_clock::now() - *busy)))
        return kernels::end_reason::culled;
    if (which.has_work() && !rules.busy_counts_as_idle) return std::nullopt;
    if (which.connections() + which.agent_sockets() > 0 && !rules.connected) return std::nullopt;
    if (passed(idle_of(which.spec(), rules.idle), idle_for)) return kernels::end_reason::culled;
    return std::nullopt;
}

// Not `while (co_await …)`: GCC 12.2 at -O0 never initialises that frame, and its first resume traps.
awaitable<void> live_registry::cull_forever() {
    for (;;) {
        const bool slept = co_await sleep_for(parts_.culling.interval);
        if (!slept) co_return;
        cull_once(steady_clock::now());
    }
}

void live_registry::cull_once(steady_clock::time_point now) {
    drop_idle_aliases(now);
    for (const auto& each : list()) {
        const auto why = should_end(*each);
        if (!why) continue;
        log::info("session {} is culled after its idle time, busy time or lifetime", each->id());
        auto end = [](live_registry& all, std::string id, kernels::end_reason reason) -> awaitable<void> {
            (void)co_await all.remove(std::move(id), reason);
        };
        tasks_.spawn("culling of " + each->id(), end(*this, each->id(), *why));
    }
}

void live_registry::drop_idle_aliases(steady_clock::time_point now) {
    std::vector<std::string> gone;
    for (auto& [kernel_id, each] : aliases_) {
        auto owner = find(each.session_id);
        if (owner && owner->connections_via(kernel_id) > 0)
            each.unconnected_since = now;
        else if (now - each.unconnected_since > parts_.bounds.alias_idle)
            gone.push_back(kernel_id);
    }
    for (const auto& each : gone) detach(each);
}

}  // namespace gateway::sessions
