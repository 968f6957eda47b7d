#include "gateway/sessions/live_session.hpp"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/memory_text.hpp"
#include "gateway/sessions/start_failure.hpp"

namespace gateway::sessions {

const char* to_string(session_state state) {
    constexpr std::array names{"starting", "idle", "busy", "restarting", "dead"};
    return names[static_cast<std::size_t>(state)];
}

live_session::live_session(session_parts parts)
    : parts_(std::move(parts)),
      log_(parts_.ex, parts_.pool, parts_.budget, parts_.limits.log, parts_.log_directory,
           parts_.earlier ? parts_.earlier->what.seq_limit : 0),
      cells_(parts_.files_directory, text_limits{parts_.limits.text_limit_chars, parts_.limits.text_file_max_bytes}),
      clients_(*this),
      executions_(parts_.limits.cell_grace),
      kernel_(std::move(parts_.ready_kernel)),
      agent_session_("cellgate-" + random_hex(8)),
      tasks_(parts_.ex),
      changed_(parts_.ex),
      timer_(parts_.ex),
      created_at_(wall_clock::now()),
      last_activity_(created_at_),
      meters_(std::make_shared<tools::meters>(parts_.ex)) {
    sandbox_ = known_sandbox(parts_.options.sandbox);
    seq_limit_ = log_.last_seq() + seq_block;
    if (parts_.earlier) {
        created_at_ = parts_.earlier->what.created_at;
        last_activity_ = parts_.earlier->what.last_activity;
        earlier_restarts_ = parts_.earlier->what.restarts;
        meters_->model.restore(parts_.earlier->what.model.calls, {parts_.earlier->what.model.prompt_tokens,
                                                                  parts_.earlier->what.model.completion_tokens});
        meters_->search.restore(parts_.earlier->what.searches.calls, {});
    }
    take_limits();
    if (!kernel_) make_kernel();
    shell_ = std::make_unique<live_shell>(parts_.ex, make_shell_host(), parts_.limits.shell);
}

live_session::~live_session() = default;

shell_host live_session::make_shell_host() {
    return {[this] { return kernel_; },
            log_,
            [this](entry what) { return append(std::move(what)); },
            parts_.files_directory,
            text_limits{parts_.limits.text_limit_chars, parts_.limits.text_file_max_bytes},
            [this] { return ready(); },
            [this] { last_activity_ = wall_clock::now(); }};
}

void live_session::start() {
    lead_out();
    dormant_ = !sandbox_.enable;
    if (dormant_) return;
    const bool warm = kernel_->state() == kernels::kernel_state::idle;
    if (warm) kernel_->set_listener(*this);
    if (warm && is_as_asked()) return on_state(kernels::kernel_state::idle, kernels::end_reason::none);
    tasks_.spawn("start of " + parts_.id, warm ? configure_warm() : boot());
}

bool live_session::is_as_asked() const {
    if (parts_.kernel.env != parts_.options.env) return false;
    return !kernel_->spec().is_python() || parts_.kernel.cell_defaults == to_json(settings_for(origin::jupyter));
}

awaitable<void> live_session::configure_warm() {
    auto self = shared_from_this();
    auto done = co_await kernel_->configure(parts_.options.env, to_json(settings_for(origin::jupyter)));
    if (done && !ended_) co_return on_state(kernels::kernel_state::idle, kernels::end_reason::none);
    if (ended_) co_return;
    failure_text_ = done.error().message;
    co_await kernel_->shutdown(kernels::end_reason::start_failed);
}

awaitable<void> live_session::boot() {
    auto self = shared_from_this();
    auto started = co_await kernel_->start();
    if (!started) failure_text_ = started.error().message;
    changed_.notify_all();
}

session_state live_session::state() const {
    if (dormant_) return session_state::idle;
    switch (kernel_state_) {
        case kernels::kernel_state::starting:
            return session_state::starting;
        case kernels::kernel_state::restarting:
            return session_state::restarting;
        case kernels::kernel_state::dead:
            return session_state::dead;
        case kernels::kernel_state::idle:
        case kernels::kernel_state::busy:
            break;
    }
    return busy_parents_.empty() ? session_state::idle : session_state::busy;
}

std::string live_session::out_of_memory() const { return memory_text(parts_.limits.sizes, size(), id()); }

milliseconds live_session::cell_timeout() const {
    return parts_.options.cell_timeout.value_or(parts_.limits.cell_timeout);
}

cell_settings live_session::settings_for(origin who) const {
    return choose_settings(parts_.limits.cells, who, parts_.options.settings);
}

awaitable<result<void>> live_session::ready() {
    auto self = shared_from_this();
    if (!sandbox_.enable) co_return no_sandbox();
    wake();
    while (state() == session_state::starting || state() == session_state::restarting) co_await changed_.wait();
    if (state() == session_state::dead)
        co_return failure{errc::session_dead, dead_session_message(id(), reason_, failure_text_)};
    co_return result<void>{};
}

void live_session::on_state(kernels::kernel_state state, kernels::end_reason why) {
    auto self = shared_from_this();
    kernel_state_ = state;
    switch (state) {
        case kernels::kernel_state::starting:
        case kernels::kernel_state::busy:
            break;
        case kernels::kernel_state::idle:
            became_ready();
            break;
        case kernels::kernel_state::restarting:
            failure_text_.clear();
            kernel_gone(why, true);
            break;
        case kernels::kernel_state::dead:
            if (failure_text_.empty()) failure_text_ = kernel_->failure_text();
            kernel_gone(why, false);
            break;
    }
    log_event("kernel_status", "",
              kernel_status_body(sessions::to_string(this->state()), sessions::to_string(reason_)));
    changed_.notify_all();
}

// Clients that came while the kernel started learn that it is idle: the kernel's own status answered our probe.
void live_session::became_ready() {
    reason_ = cell_reason::none;
    log_own(make_status("idle", kernel_->kernel_session()), "");
    held_bytes_ = 0;
    for (auto& each : std::exchange(held_, {})) {
        auto header = messaging::parse_header(each.what.header);
        if (header) transmit(each.client, std::move(each.what), *header);
    }
    apply(executions_.kernel_ready());
}

// All that was in flight ends here, each with one answer; only then do clients hear what became of the kernel.
void live_session::kernel_gone(kernels::end_reason why, bool restarts) {
    reason_ = to_cell_reason(why);
    const auto because = reason_ == cell_reason::oom ? ": " + out_of_memory() : "";
    answer_requests("DeadKernelError",
                    fmt::format("the kernel ended while this request was in flight ({}){}{}",
                                sessions::to_string(reason_), restarts ? "; it is being restarted" : "", because));
    end_cells(restarts);
    shell_->kernel_ended(reason_);
    for (auto& each : answers_) each.second = std::string();
    busy_parents_.clear();
    busy_since_.reset();
    pending_input_.reset();
    if (!restarts) {
        for (auto& each : std::exchange(held_, {}))
            if (auto header = messaging::parse_header(each.what.header))
                transmit(each.client, std::move(each.what), *header);
        // A Lab that hears `dead` does not come back after the gateway's restart.
        if (why != kernels::end_reason::gateway_ended) log_own(make_status("dead", kernel_->kernel_session()), "");
    } else if (why != kernels::end_reason::restarted) {
        log_own(make_status("restarting", kernel_->kernel_session()), "");
    }
}

void live_session::answer_requests(const std::string& ename, const std::string& evalue) {
    const auto& session = kernel_->kernel_session();
    const bool oom = reason_ == cell_reason::oom;
    for (const auto& each : requests_.take_all()) {
        if (oom && each.msg_type == "execute_request") log_own(*note(out_of_memory() + "\n", each.header), "");
        log_own(make_error_reply(each, session, ename, evalue), each.client);
        log_own(make_status("idle", session, each.header), "");
    }
}

awaitable<result<void>> live_session::interrupt() {
    auto self = shared_from_this();
    if (ended_ || state() == session_state::dead)
        co_return failure{errc::session_dead,
                          fmt::format("the session {} is dead; there is nothing to interrupt", id())};
    auto actions = executions_.interrupt();
    std::erase_if(actions, [](const auto& each) { return std::holds_alternative<action::interrupt>(each); });
    apply(actions);
    co_return co_await kernel_->interrupt();
}

awaitable<result<void>> live_session::restart() {
    auto self = shared_from_this();
    if (ended_) co_return failure{errc::session_dead, fmt::format("the session {} has ended", id())};
    if (!sandbox_.enable) co_return no_sandbox();
    // A busy kernel would not read the polite request.
    if (dormant_) co_return co_await ready();
    const bool kill = state() == session_state::busy;
    co_return co_await kernel_->restart(kernels::end_reason::restarted, kill);
}

// Cells end now, for what ends them: a kernel that is asked to stop would interrupt its own, and end it as an error.
awaitable<void> live_session::end(kernels::end_reason why) {
    auto self = shared_from_this();
    if (std::exchange(ended_, true)) co_return;
    timer_.cancel();
    dormant_ = false;
    reason_ = to_cell_reason(why);
    end_cells(false);
    shell_->kernel_ended(reason_);
    co_await kernel_->shutdown(why);
    if (network_) co_await network_->stop();
    const bool all_is_told = why == kernels::end_reason::gateway_ended;
    if (!all_is_told) clients_.end_all(client_end::kernel_deleted);
    tasks_.cancel();
    co_await tasks_.join();
    shell_->close();
    log_.end();
    seq_limit_ = log_.last_seq();
    if (all_is_told) keep_now();
    if (all_is_told) clients_.end_all(client_end::gateway_ended);
    if (!all_is_told) log_.close();
    changed_.notify_all();
}

void live_session::end_cells(bool restarts) {
    apply(executions_.kernel_ended(reason_, restarts));
    for (auto& each : std::exchange(foreign_, {})) end_cell(*each.second, cell_status::lost, reason_, restarts);
}

std::shared_ptr<jupyter_client> live_session::connect(const std::string& session_id, const std::string& via) {
    wake();
    return clients_.connect(session_id, via);
}

void live_session::disconnect_via(const std::string& kernel_id) {
    clients_.end_via(kernel_id, client_end::kernel_deleted);
}

std::shared_ptr<void> live_session::count_agent_socket() { return agent_socket_; }

void live_session::apply(const execution_actions& actions) {
    for (const auto& each : actions) std::visit([this](const auto& what) { perform(what); }, each);
    arm_timer();
}

void live_session::perform(const action::began& what) {
    auto found = cells_.find_by_request(what.msg_id);
    if (!found || found->status != cell_status::queued) return;
    found->status = cell_status::running;
    found->started_at = wall_clock::now();
    log_started(*found);
}

void live_session::perform(const action::ended& what) {
    agent_requests_.erase(what.msg_id);
    if (pending_input_ && pending_input_parent_ == what.msg_id) pending_input_.reset();
    auto found = cells_.find_by_request(what.msg_id);
    if (!found) return;
    if (what.status == cell_status::error && !found->error)
        found->error = cell_error{"NoReply", "the kernel went idle without a reply to this cell", {}};
    if (what.reason == cell_reason::start_failed) found->error = start_failure(failure_text_);
    if (what.reason == cell_reason::oom && what.status == cell_status::lost)
        found->error = cell_error{"OutOfMemory", out_of_memory(), {}};
    end_cell(*found, what.status, what.reason, what.kernel_restarted);
}

void live_session::perform(const action::interrupt&) {
    auto work = [](std::shared_ptr<live_session> self) -> awaitable<void> {
        auto done = co_await self->kernel_->interrupt();
        if (!done) log::warning("session {}: interrupt: {}", self->id(), done.error().message);
    };
    tasks_.spawn("interrupt of " + id(), work(shared_from_this()));
}

void live_session::perform(const action::kill&) {
    auto work = [](std::shared_ptr<live_session> self) -> awaitable<void> {
        auto done = co_await self->kernel_->restart(kernels::end_reason::deadline, true);
        if (!done) log::warning("session {}: restart at a deadline: {}", self->id(), done.error().message);
    };
    tasks_.spawn("deadline of " + id(), work(shared_from_this()));
}

void live_session::arm_timer() {
    const auto when = executions_.next_wakeup();
    if (!when || ended_) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(*when);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        auto self = weak.lock();
        if (!ec && self && !self->ended_) self->apply(self->executions_.on_time(std::chrono::steady_clock::now()));
    });
}

void live_session::end_cell(cell& which, cell_status status, cell_reason reason, bool kernel_restarted) {
    if (is_final(which.status)) return;
    which.status = status;
    which.reason = reason;
    which.kernel_restarted = which.kernel_restarted || kernel_restarted;
    which.ended_at = wall_clock::now();
    if (which.started_at)
        which.duration = std::chrono::duration_cast<milliseconds>(*which.ended_at - *which.started_at);
    const auto result = cells_.finish(which);
    entry finished;
    finished.kind = entry_kind::event;
    finished.type = "cell_finished";
    finished.cell_id = which.id;
    which.seq_last = log_.last_seq() + 1;  // the event tells its own seq as the cell's last
    auto summary = finished.body = cell_finished_body(which);
    which.seq_last = append(std::move(finished));
    keep_cell(which, std::move(summary), result);
    changed_.notify_all();
}

void live_session::log_queued(cell& which) {
    entry queued;
    queued.kind = entry_kind::event;
    queued.type = "cell_queued";
    queued.cell_id = which.id;
    queued.body = cell_queued_body(which);
    which.seq_first = which.seq_last = append(std::move(queued));
}

void live_session::log_started(cell& which) {
    log_event("cell_started", which.id, cell_started_body(which));
    which.seq_last = log_.last_seq();
}

void live_session::log_event(const char* type, const std::string& cell_id, std::string body) {
    entry made;
    made.kind = entry_kind::event;
    made.type = type;
    made.cell_id = cell_id;
    made.body = std::move(body);
    append(std::move(made));
}

}  // namespace gateway::sessions
