// Other settings for a session that lives, and what they make of its kernel.
#include <fmt/core.h>

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/live_session.hpp"

namespace gateway::sessions {

const sandbox_size& live_session::size() const {
    return parts_.limits.sizes.of(sandbox_.size, parts_.options.made_by == origin::jupyter);
}

void live_session::set_options(session_options options) {
    sandbox_ = known_sandbox(options.sandbox);
    parts_.options = std::move(options);
}

// A kernel from the pool has been placed with the limits of the usual size: other numbers are all that it takes.
void live_session::take_limits() {
    const auto wanted = to_box_limits(size());
    if (kernel_ && parts_.kernel.limits != wanted) kernel_->set_limits(wanted, true);
    parts_.kernel.limits = wanted;
}

awaitable<void> live_session::adapt() {
    auto self = shared_from_this();
    const auto defaults = to_json(settings_for(origin::jupyter));
    const bool is_configured = std::exchange(parts_.kernel.cell_defaults, defaults) == defaults;
    const auto limits = to_box_limits(size());
    const bool is_of_this_size = std::exchange(parts_.kernel.limits, limits) == limits;
    if (ended_) co_return;
    if (network_ && network_->current_policy() != network_policy()) network_->set_policy(network_policy());
    if (dormant_) {
        make_kernel();  // it was never started
        co_return;
    }
    if (!sandbox_.enable) co_return co_await retire_kernel();
    if (!is_configured) tasks_.spawn("settings of " + id(), configure_when_free());
    if (is_of_this_size) co_return;
    variables_gone_ = true;
    kernel_->set_limits(limits, false);
    auto again = co_await kernel_->restart(kernels::end_reason::restarted, state() == session_state::busy);
    if (!again) co_return log::warning("session {} with its new size: {}", id(), again.error().message);
    kernel_->set_limits(limits, true);  // it may have joined a start that was under way
}

void live_session::make_kernel() {
    kernel_ = std::make_shared<kernels::kernel>(parts_.kernels, parts_.kernel, *this);
    if (network_) lead_out();
}

// As a restart, but that nothing starts: the next kernel does when there is a sandbox again.
awaitable<void> live_session::retire_kernel() {
    reason_ = cell_reason::restarted;
    end_cells(true);
    co_await kernel_->shutdown(kernels::end_reason::restarted);
    if (ended_) co_return;
    earlier_restarts_ += kernel_->restarts();
    parts_.kernel.env = parts_.options.env;
    make_kernel();
    kernel_state_ = kernels::kernel_state::starting;
    reason_ = cell_reason::none;
    failure_text_.clear();
    dormant_ = replaces_kernel_ = variables_gone_ = true;
    log_event("kernel_status", "", kernel_status_body(sessions::to_string(state()), ""));
    changed_.notify_all();
}

// The kernel answers when its cell has ended.
awaitable<void> live_session::configure_when_free() {
    auto self = shared_from_this();
    auto is_free = [this] { return state() == session_state::idle && !dormant_; };
    while (!ended_ && state() != session_state::dead && !is_free()) co_await changed_.wait();
    if (!is_free() || !kernel_->spec().is_python()) co_return;
    auto done = co_await kernel_->configure(parts_.options.env, to_json(settings_for(origin::jupyter)));
    if (!done)
        log::warning("session {}: its kernel keeps its settings until it restarts: {}", id(), done.error().message);
}

}  // namespace gateway::sessions
