#include "gateway/kernels/kernel_fsm.hpp"

#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace gateway::kernels {
namespace {

transport first_transport(const lifecycle_settings& settings) {
    return settings.fixed.value_or(settings.proven.value_or(transport::ipc));
}

end_reason reason_of(int status, bool oom) {
    if (oom) return end_reason::oom;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? end_reason::killed : end_reason::crashed;
}

}  // namespace

kernel_fsm::kernel_fsm(lifecycle_settings settings)
    : settings_(settings), transport_(first_transport(settings)), transport_works_(settings.proven.has_value()) {}

kernel_fsm::actions kernel_fsm::handle(const lifecycle_event& event) {
    out_.clear();
    // A timer that fired while it was being cancelled.
    if (event.what == lifecycle_event::timer && timers_.erase(event.which) == 0) return {};
    dispatch(event);
    return std::exchange(out_, {});
}

void kernel_fsm::dispatch(const lifecycle_event& event) {
    switch (phase_) {
        case phase::unborn:
            return on_unborn(event);
        case phase::launching:
            return on_launching(event);
        case phase::probing:
        case phase::injecting:
            return on_starting(event);
        case phase::running:
            return on_running(event);
        case phase::stopping:
            return on_stopping(event);
        case phase::draining:
            return on_draining(event);
        case phase::dead:
            return on_dead(event);
    }
}

void kernel_fsm::on_unborn(const lifecycle_event& event) {
    if (event.what == lifecycle_event::start_requested) return launch();
    if (event.what != lifecycle_event::shutdown_requested) return;
    final_ = true;
    die(event.why);
}

// There is no process yet that could be killed: a shutdown waits for the launcher's answer, but not for ever.
void kernel_fsm::on_launching(const lifecycle_event& event) {
    switch (event.what) {
        case lifecycle_event::launched:
            return final_ ? stop(next_step::end, next_why_, true) : connect();
        case lifecycle_event::launch_failed:
            return die(final_ ? next_why_ : end_reason::start_failed);
        case lifecycle_event::timer:
            return die(final_ ? next_why_ : end_reason::start_failed);
        case lifecycle_event::shutdown_requested:
            if (std::exchange(final_, true)) return;
            next_why_ = event.why;
            cancel_timers();
            return start_timer(timer_kind::kill);
        default:
            return;
    }
}

void kernel_fsm::on_starting(const lifecycle_event& event) {
    switch (event.what) {
        case lifecycle_event::probe_answered:
            return answered();
        case lifecycle_event::iopub_seen:
            subscribed_ = true;
            return check_alive();
        case lifecycle_event::injected:
            return phase_ == phase::injecting ? become_ready() : void();
        case lifecycle_event::exited:
            next_ = next_step::count_death;
            return gone(event);
        case lifecycle_event::timer:
            return event.which == timer_kind::launch ? launch_expired() : ask_again(event.which);
        case lifecycle_event::shutdown_requested:
            final_ = true;
            return stop(next_step::end, event.why, true);
        default:
            return;  // a restart joins the start that is under way
    }
}

void kernel_fsm::on_running(const lifecycle_event& event) {
    switch (event.what) {
        case lifecycle_event::executed:
        case lifecycle_event::timer:
            deaths_ = 0;
            return;
        case lifecycle_event::exited:
            next_ = next_step::count_death;
            return gone(event);
        case lifecycle_event::restart_requested:
            state_ = kernel_state::restarting;
            return stop(next_step::restart, event.why, event.kill);
        case lifecycle_event::shutdown_requested:
            final_ = true;
            return stop(next_step::end, event.why, event.kill);
        default:
            return;
    }
}

void kernel_fsm::on_stopping(const lifecycle_event& event) {
    switch (event.what) {
        case lifecycle_event::exited:
            return gone(event);
        case lifecycle_event::timer:
            // Not even a kill was answered: go on without it rather than wait for ever.
            return event.which == timer_kind::shutdown ? kill_process() : gone({lifecycle_event::exited});
        case lifecycle_event::restart_requested:
            if (event.kill && timers_.contains(timer_kind::shutdown)) kill_process();
            return;
        case lifecycle_event::shutdown_requested:
            if (!std::exchange(final_, true)) next_ = next_step::end, next_why_ = event.why;
            return;
        default:
            return;
    }
}

void kernel_fsm::on_draining(const lifecycle_event& event) {
    switch (event.what) {
        case lifecycle_event::drained:
            return go_on();
        case lifecycle_event::restart_requested:
            if (next_ == next_step::count_death && lived_) next_ = next_step::restart, next_why_ = event.why;
            return;
        case lifecycle_event::shutdown_requested:
            if (!std::exchange(final_, true)) next_ = next_step::end, next_why_ = event.why;
            return;
        default:
            return;
    }
}

void kernel_fsm::on_dead(const lifecycle_event& event) {
    if (event.what == lifecycle_event::shutdown_requested) final_ = true;
    if (event.what != lifecycle_event::restart_requested || final_) return;
    deaths_ = 0;
    if (!transport_works_) transport_ = first_transport(settings_);
    restart(event.why);
}

void kernel_fsm::launch() {
    phase_ = phase::launching;
    answered_ = subscribed_ = false;
    emit(lifecycle_action::launch);
    start_timer(timer_kind::launch);
}

void kernel_fsm::connect() {
    phase_ = phase::probing;
    emit(lifecycle_action::connect);
    ask_again(timer_kind::probe);
}

void kernel_fsm::answered() {
    auto first = !std::exchange(answered_, true);
    check_alive();
    if (first && phase_ == phase::probing) ask_again(timer_kind::nudge);
}

void kernel_fsm::ask_again(timer_kind which) {
    if (phase_ != phase::probing) return;
    if (which == timer_kind::probe && answered_) return;  // nudged from now on
    emit(lifecycle_action::probe);
    start_timer(which);
}

void kernel_fsm::check_alive() {
    if (phase_ != phase::probing || !answered_ || !subscribed_) return;
    transport_works_ = true;
    if (!settings_.inject) return become_ready();
    phase_ = phase::injecting;
    emit(lifecycle_action::inject);
}

void kernel_fsm::become_ready() {
    phase_ = phase::running;
    lived_ = true;
    cancel_timers();
    start_timer(timer_kind::stable);
    tell(kernel_state::idle, end_reason::none);
}

void kernel_fsm::launch_expired() {
    if (phase_ == phase::injecting) {
        emit(lifecycle_action::inject_missed);
        return become_ready();
    }
    // Some kernels (on JeroMQ) bind what they take for ipc, and never hear from us.
    auto try_tcp = transport_ == transport::ipc && !settings_.fixed && !transport_works_;
    stop(try_tcp ? next_step::other_transport : next_step::fail, end_reason::start_failed, true);
}

void kernel_fsm::stop(next_step next, end_reason why, bool kill) {
    phase_ = phase::stopping;
    next_ = next;
    next_why_ = why;
    cancel_timers();
    if (kill) return kill_process();
    emit(lifecycle_action::ask_shutdown);
    start_timer(timer_kind::shutdown);
}

void kernel_fsm::kill_process() {
    cancel_timers();
    emit(lifecycle_action::kill);
    start_timer(timer_kind::kill);
}

void kernel_fsm::gone(const lifecycle_event& exit) {
    phase_ = phase::draining;
    if (next_ == next_step::count_death) next_why_ = reason_of(exit.status, exit.oom);
    cancel_timers();
    emit(lifecycle_action::drain);
}

void kernel_fsm::go_on() {
    emit(lifecycle_action::disconnect);
    switch (next_) {
        case next_step::count_death:
            return count_death();
        case next_step::restart:
            return restart(next_why_);
        case next_step::other_transport:
            transport_ = transport::tcp;
            return launch();
        case next_step::fail:
        case next_step::end:
            return die(next_why_);
    }
}

void kernel_fsm::restart(end_reason why) {
    ++restarts_;
    tell(kernel_state::restarting, why);
    launch();
}

// Before its first life a kernel is started again in silence: nobody has seen it, and the cause may be ours
// (ipc that it cannot do, a port that was taken meanwhile).
void kernel_fsm::count_death() {
    if (++deaths_ > settings_.restart_limit) return die(lived_ ? next_why_ : end_reason::start_failed);
    if (lived_) return restart(next_why_);
    if (!settings_.fixed && !transport_works_) transport_ = transport::tcp;
    launch();
}

void kernel_fsm::die(end_reason why) {
    phase_ = phase::dead;
    cancel_timers();
    tell(kernel_state::dead, why);
}

void kernel_fsm::emit(lifecycle_action::kind what) {
    lifecycle_action action{what};
    if (what == lifecycle_action::launch) action.over = transport_;
    out_.push_back(action);
}

void kernel_fsm::start_timer(timer_kind which) {
    timers_.insert(which);
    lifecycle_action action{lifecycle_action::start_timer};
    action.which = which;
    out_.push_back(action);
}

void kernel_fsm::cancel_timers() {
    for (auto which : std::exchange(timers_, {})) {
        lifecycle_action action{lifecycle_action::cancel_timer};
        action.which = which;
        out_.push_back(action);
    }
}

void kernel_fsm::tell(kernel_state state, end_reason why) {
    state_ = state;
    reason_ = why;
    lifecycle_action action{lifecycle_action::tell};
    action.state = state;
    action.why = why;
    out_.push_back(action);
}

}  // namespace gateway::kernels
