#include <sys/wait.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/kernels/kernel_implementation.hpp"
#include "gateway/kernels/own_messages.hpp"

namespace gateway::kernels {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds drain_round = 5ms;
// For sockets that stay open without their process: a descendant that left the box, which there should be none of.
constexpr int drain_rounds = 200;

std::string status_text(const process_end& end) {
    const int status = end.status;
    if (end.oom) return "used more memory than its sandbox has";
    if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
    return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

template <class Implementation>
std::string late_text(const Implementation& self) {
    auto limit =
        " within " + std::to_string(self.shared.limits.launch_timeout.count()) + " ms (kernels.launch_timeout_s)";
    if (!self.running) return "the launcher did not answer" + limit;
    return "the kernel did not answer kernel_info_request" + limit;
}

milliseconds duration_of(timer_kind which, const kernel_limits& limits) {
    switch (which) {
        case timer_kind::launch:
            return limits.launch_timeout;
        case timer_kind::probe:
            return 2s;  // the first request is queued until the kernel binds
        case timer_kind::nudge:
            return 50ms;  // a subscription needs one round trip
        case timer_kind::stable:
            return 10s;  // as jupyter_client's stable_start_time
        case timer_kind::shutdown:
            return limits.shutdown_wait;
        case timer_kind::kill:
            return 10s;  // a process in uninterruptible sleep
    }
    return 1s;
}

}  // namespace

void kernel::implementation::post(lifecycle_event event) {
    asio::post(shared.ex, [weak = weak_from_this(), event, expected = generation] {
        auto self = weak.lock();
        if (self && self->generation == expected) self->feed(event);
    });
}

// One event at a time: what an action or a listener causes comes after the actions of the event before.
void kernel::implementation::feed(const lifecycle_event& event) {
    auto self = shared_from_this();  // a listener may end us
    events.push_back(event);
    if (events.size() > 1) return;
    for (; !events.empty() && !closed; events.pop_front())
        for (const auto& action : machine.handle(events.front())) {
            log::debug("kernel {}: {}", options.id, to_string(action));
            perform(action);
            if (closed) break;
        }
    events.clear();
    changed.notify_all();
}

void kernel::implementation::perform(const lifecycle_action& action) {
    switch (action.what) {
        case lifecycle_action::launch:
            return begin_launch(action.over);
        case lifecycle_action::connect:
            return connect();
        case lifecycle_action::probe:
            send_own(make_probe(messaging::channel::control, own_session));
            return send_own(make_probe(messaging::channel::shell, own_session));
        case lifecycle_action::inject:
            return inject();
        case lifecycle_action::inject_missed:
            return log::warning("kernel {}: no answer to the injected code; it runs without cellgate_kernel",
                                options.id);
        case lifecycle_action::ask_shutdown:
            return ask_shutdown();
        case lifecycle_action::kill:
            return kill_process();
        case lifecycle_action::drain:
            return drain(0);
        case lifecycle_action::disconnect:
            return sockets.reset();
        case lifecycle_action::start_timer:
            return start_timer(action.which);
        case lifecycle_action::cancel_timer:
            timers.erase(action.which);
            return;
        case lifecycle_action::tell:
            return tell(action.state, action.why);
    }
}

void kernel::implementation::inject() {
    auto message = make_injection(own_session, options.helper_key, options.preload_metadata, options.cell_defaults,
                                  settings_place_of(info_reply));
    auto header = messaging::parse_header(message.header);
    injection_id = header ? header->msg_id : "";
    send_own(message);
}

// As jupyter_client does: a kernel that is busy would read the request only after its cell.
void kernel::implementation::ask_shutdown() {
    if (options.spec.interrupt_mode == "message")
        send_own(make_interrupt_request(own_session));
    else if (running)
        shared.processes.signal(*running, SIGINT);
    send_own(make_shutdown_request(own_session, machine.state() == kernel_state::restarting));
}

void kernel::implementation::kill_process() {
    if (running) shared.processes.kill(*running);
}

// Drained: the sockets were read to their end, and then a round brought nothing more.
void kernel::implementation::drain(int quiet_rounds) {
    auto ended = !sockets || sockets->kernel_has_ended();
    auto seen = messages_seen;
    auto& timer = timers.insert_or_assign(timer_kind::kill, asio::steady_timer(shared.ex, drain_round)).first->second;
    timer.async_wait(
        [weak = weak_from_this(), as = generation, ended, seen, quiet_rounds](boost::system::error_code ec) {
            auto self = weak.lock();
            if (ec || !self || self->closed || self->generation != as) return;
            auto quiet = self->messages_seen == seen ? quiet_rounds + 1 : 0;
            if (quiet < (ended ? 1 : drain_rounds)) return self->drain(quiet);
            self->timers.erase(timer_kind::kill);
            self->feed({lifecycle_event::drained});
        });
}

void kernel::implementation::start_timer(timer_kind which) {
    auto duration = duration_of(which, shared.limits);
    auto& timer = timers.insert_or_assign(which, asio::steady_timer(shared.ex, duration)).first->second;
    timer.async_wait([weak = weak_from_this(), which, as = generation](boost::system::error_code ec) {
        auto self = weak.lock();
        if (ec || !self || self->generation != as) return;
        if (which == timer_kind::launch) self->launch_error = late_text(*self);
        lifecycle_event event{lifecycle_event::timer};
        event.which = which;
        self->feed(event);
    });
}

void kernel::implementation::tell(kernel_state state, end_reason why) {
    if (state == kernel_state::idle) {
        was_ready = true;
        launch_error.clear();
        shared.proven_transports[options.spec.directory] = machine.over();
    }
    if (state == kernel_state::dead) {
        describe_failure(why);
        files.remove();
    }
    log::info("kernel {} ({}): {} {}", options.id, options.spec.name, to_string(state), to_string(why));
    listener->on_state(state, why);
}

void kernel::implementation::describe_failure(end_reason why) {
    failure_text.clear();  // an earlier death's
    if (!launch_error.empty())
        failure_text = launch_error;
    else if (last_end && why != end_reason::none && !machine.is_final())
        failure_text = "the kernel " + status_text(*last_end);
    auto tail = files.output_tail();
    if (!tail.empty()) failure_text += (failure_text.empty() ? "" : ":\n") + tail;
}

void kernel::implementation::close() {
    closed = true;
    ++generation;
    if (running) shared.processes.kill(*running);
    running.reset();
    timers.clear();
    sockets.reset();
    files.remove();
    changed.notify_all();
}

}  // namespace gateway::kernels
