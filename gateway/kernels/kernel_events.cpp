#include <sys/wait.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/kernels/kernel_implementation.hpp"
#include "gateway/kernels/launch_command.hpp"
#include "gateway/kernels/own_messages.hpp"

namespace gateway::kernels {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds drain_round = 5ms;
// For sockets that stay open without their process: a descendant that left the box, which there should be none of.
constexpr int drain_rounds = 200;

std::optional<transport> fixed_transport(const kernelspec& spec) {
    auto metadata = nlohmann::json::parse(spec.metadata, nullptr, false);
    if (!metadata.is_object()) return {};
    auto ours = metadata.find("cellgate");
    if (ours == metadata.end() || !ours->is_object()) return {};
    auto wanted = ours->value("transport", nlohmann::json());
    if (wanted == "ipc") return transport::ipc;
    if (wanted == "tcp") return transport::tcp;
    return {};
}

lifecycle_settings settings_of(const kernel_environment& shared, const kernelspec& spec) {
    lifecycle_settings settings;
    settings.inject = spec.is_python() && !shared.package_dir.empty();
    settings.fixed = fixed_transport(spec);
    settings.restart_limit = shared.limits.restart_limit;
    auto known = shared.proven_transports.find(spec.directory);
    if (known != shared.proven_transports.end()) settings.proven = known->second;
    return settings;
}

std::string status_text(int status) {
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

kernel::implementation::implementation(kernel_environment& shared, kernel_options options, kernel_listener& listener)
    : shared(shared),
      options(std::move(options)),
      listener(&listener),
      machine(settings_of(shared, this->options.spec)),
      files(shared.runtime_dir, this->options.id),
      changed(shared.ex),
      own_session(make_uuid()) {}

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

void kernel::implementation::begin_launch(transport over) {
    auto launched_as = ++generation;
    running.reset();
    early_exit.reset();
    last_status.reset();
    launch_error.clear();
    iopub_was_seen = session_is_known = executed_was_told = false;
    auto renewed = files.renew(over, options.spec.name);
    auto made = renewed ? make_launch_request(shared, options, files.box_directory(), files.output_file())
                        : result<::kernel::launch_request>(renewed.error());
    if (!made) {
        launch_error = made.error().message;
        return post({lifecycle_event::launch_failed});
    }
    connection = std::move(*renewed);
    made->id += "-" + std::to_string(launched_as);  // the box of the process before may still be going
    // Not cancelled with the kernel: whoever launches must hear of the process, to end it.
    auto launching = [](self_pointer self, int as, ::kernel::launch_request what) -> awaitable<void> {
        auto* processes = &self->shared.processes;
        std::function<void(int)> on_exit = [weak = std::weak_ptr(self), as](int status) {
            if (auto alive = weak.lock()) alive->process_exited(as, status);
        };
        auto outcome = co_await processes->launch(std::move(what), std::move(on_exit));
        if (!self->closed && self->generation == as && self->machine.where() == phase::launching)
            co_return self->launch_answered(as, std::move(outcome));
        if (outcome) processes->kill(*outcome);
    };
    auto failed = [weak = weak_from_this(), launched_as](std::exception_ptr error) {
        auto self = weak.lock();
        if (error && self && self->generation == launched_as)
            self->launch_answered(launched_as, failure{errc::internal_error, "the launcher failed"});
    };
    asio::co_spawn(shared.ex, launching(shared_from_this(), launched_as, std::move(*made)), std::move(failed));
}

void kernel::implementation::launch_answered(int as, result<process> outcome) {
    auto self = shared_from_this();
    if (!outcome) {
        launch_error = outcome.error().message;
        return feed({lifecycle_event::launch_failed});
    }
    running = *outcome;
    feed({lifecycle_event::launched});
    if (auto status = std::exchange(early_exit, std::nullopt)) process_exited(as, *status);
}

// Posted: a launcher may report from inside kill().
void kernel::implementation::process_exited(int as, int status) {
    asio::post(shared.ex, [weak = weak_from_this(), as, status] {
        auto self = weak.lock();
        if (!self || self->closed || self->generation != as) return;
        if (!self->running) {
            self->early_exit = status;
            return;
        }
        self->running.reset();
        self->last_status = status;
        lifecycle_event event{lifecycle_event::exited};
        event.status = status;
        self->feed(event);
    });
}

void kernel::implementation::connect() {
    auto as = generation;
    auto on_message = [weak = weak_from_this(), as](messaging::message what) {
        auto self = weak.lock();
        if (self && !self->closed && self->generation == as) self->take(std::move(what));
    };
    auto on_invalid = [id = options.id](messaging::channel where, boost::system::error_code why) {
        log::warning("kernel {}: a message on {} was refused: {}", id, messaging::to_string(where), why.message());
    };
    sockets = std::make_unique<messaging::kernel_sockets>(shared.ex, shared.zmq, *connection, std::move(on_message),
                                                          std::move(on_invalid));
}

void kernel::implementation::inject() {
    auto message = make_injection(own_session, options.helper_key, options.preload_metadata);
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
    if (state == kernel_state::idle) launch_error.clear();
    if (state == kernel_state::idle) shared.proven_transports[options.spec.directory] = machine.over();
    if (state == kernel_state::dead) {
        describe_failure(why);
        files.remove();
    }
    log::info("kernel {} ({}): {} {}", options.id, options.spec.name, to_string(state), to_string(why));
    listener->on_state(state, why);
}

void kernel::implementation::describe_failure(end_reason why) {
    if (!launch_error.empty())
        failure_text = launch_error;
    else if (last_status && why != end_reason::none && !machine.is_final())
        failure_text = "the kernel " + status_text(*last_status);
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
