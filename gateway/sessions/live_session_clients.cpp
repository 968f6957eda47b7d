// What clients ask of a session: Jupyter's messages go straight to the kernel, agents' cells through the queue.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/live_session.hpp"
#include "gateway/sessions/start_failure.hpp"
#include "messaging/json_members.hpp"

namespace gateway::sessions {
namespace {

using nlohmann::json;

// What Jupyter clients may send before the kernel is ready: enough for a notebook's "Run All", not for a leak.
constexpr std::size_t held_limit = 256u << 20;
// Completion and inspection wait behind a running cell; an editor has given up long before.
constexpr milliseconds answer_patience{30'000};

}  // namespace

result<void> live_session::forward(const std::string& client, messaging::message what) {
    auto header = messaging::parse_header(what.header);
    if (!header)
        return failure{errc::invalid_request, "the message's header cannot be read: " + header.error().message()};
    if (header->msg_type.empty() || header->msg_id.empty())
        return failure{errc::invalid_request, "the message's header has no msg_type or no msg_id"};
    if (what.where == messaging::channel::iopub)
        return failure{errc::invalid_request, "iopub is the kernel's to write; send on shell, control or stdin"};
    wake();
    const bool waits = state() == session_state::starting || state() == session_state::restarting;
    if (!waits) {
        transmit(client, std::move(what), *header);
        return {};
    }
    if (held_bytes_ + what.size() > held_limit)
        return failure{errc::too_large, fmt::format("over {} bytes were sent before the kernel was ready", held_limit)};
    held_bytes_ += what.size();
    held_.push_back({client, std::move(what)});
    return {};
}

void live_session::transmit(const std::string& client, messaging::message what,
                            const messaging::header_fields& header) {
    pending_request request{client, what.where, header.msg_id, header.msg_type, what.header, 0};
    const bool main_shell = what.where == messaging::channel::shell && header.subshell_id.empty();
    if (header.msg_type == "execute_request" && main_shell) forward_execute(what, header);
    if (header.msg_type == "input_reply") pending_input_.reset();
    requests_.add(request);
    if (kernel_->send(what)) return;
    if (!requests_.take(request.msg_id)) return;
    const auto reason = sandbox_.enable
                            ? fmt::format("the kernel is dead ({}); restart it", sessions::to_string(reason_))
                            : no_sandbox().message;
    log_own(make_error_reply(request, kernel_->kernel_session(), "DeadKernelError", reason), client);
    log_own(make_status("idle", kernel_->kernel_session(), request.header), "");
    apply(executions_.kernel_ended(reason_, false));
}

void live_session::forward_execute(const messaging::message& what, const messaging::header_fields& header) {
    const messaging::json_members content(what.content);
    const bool silent = content.is_true("silent");
    execution sent{header.msg_id, origin::jupyter, silent, std::nullopt};
    if (!silent) {
        cell made;
        made.id = make_id("cell_");
        made.sent_by = origin::jupyter;
        made.msg_id = header.msg_id;
        made.code = content.text("code");
        made.store_history = !content.contains("store_history") || content.is_true("store_history");
        made.metadata = what.metadata;
        made.queued_at = wall_clock::now();
        log_queued(made);
        auto summary = cell_finished_body(made);
        keep_cell(*cells_.add(std::move(made), false), std::move(summary), "");
    }
    last_activity_ = wall_clock::now();
    apply(executions_.forward(std::move(sent)));
}

result<submitted> live_session::join_earlier(const execute_options& what, bool& found) const {
    found = false;
    if (what.idempotency_key.empty()) return submitted{};
    for (const auto& each : cells_.with_key(what.idempotency_key)) {
        const auto age = each->ended_at ? wall_clock::now() - *each->ended_at : wall_clock::duration::zero();
        if (age > parts_.limits.idempotency) continue;
        found = true;
        if (each->code != what.code)
            return failure{
                errc::idempotency_mismatch,
                fmt::format("the idempotency key was used for other code in {}; take another key", each->id)};
        return submitted{each->id, each->seq_first};
    }
    return submitted{};
}

result<submitted> live_session::execute(execute_options what) {
    if (ended_ || state() == session_state::dead)
        return failure{errc::session_dead, dead_session_message(id(), reason_, failure_text_)};
    bool found = false;
    auto earlier = join_earlier(what, found);
    if (found) return earlier;
    if (!sandbox_.enable) return no_sandbox();
    wake();
    if (!what.current_step.empty()) note_step({what.current_step, what.current_step_metric});
    cell made;
    made.id = make_id("cell_");
    made.sent_by = origin::agent;
    made.msg_id = make_uuid();
    made.code = what.code;
    made.store_history = what.store_history;
    made.queued_at = wall_clock::now();
    made.current_step = what.current_step;
    made.current_step_metric = what.current_step_metric;
    made.idempotency_key = what.idempotency_key;
    made.timeout = what.timeout.value_or(cell_timeout());
    made.kernel_restarted = std::exchange(variables_gone_, false);
    log_queued(made);
    submitted answer{made.id, made.seq_first};
    // One with a key never runs before it is written down, so that it runs once whenever the gateway ends.
    const bool held = parts_.keeper && !what.idempotency_key.empty();
    execution queued{made.msg_id, origin::agent, what.silent, made.timeout, held};
    agent_requests_[made.msg_id] = what;
    auto summary = cell_finished_body(made);
    keep_cell(*cells_.add(std::move(made), what.silent), std::move(summary), "");
    if (held) tasks_.spawn("keeping of " + answer.cell_id, release_when_kept(queued.msg_id));
    last_activity_ = wall_clock::now();
    apply(executions_.submit(std::move(queued)));
    return answer;
}

void live_session::perform(const action::send& what) {
    auto request = agent_requests_.find(what.msg_id);
    if (request == agent_requests_.end()) return;
    const auto& asked = request->second;
    const json content = {{"code", asked.code},
                          {"silent", asked.silent},
                          {"store_history", asked.store_history && !asked.silent},
                          {"user_expressions", json::object()},
                          {"allow_stdin", asked.allow_stdin},
                          {"stop_on_error", false}};
    // Made anew each time: a request that is sent again must not repeat its signature, so its date is its own.
    messaging::message sent;
    sent.where = messaging::channel::shell;
    sent.header = messaging::make_header("execute_request", agent_session_, what.msg_id);
    sent.content = content.dump(-1, ' ', false, json::error_handler_t::replace);
    const auto settings = replaced(settings_for(origin::agent), asked.settings);
    sent.metadata = "{\"cellgate\":" + to_json(settings) + "}";
    // A kernel that is dead by now has told so before this is looked at again: its end answers the cell.
    if (kernel_->send(sent)) executions_.was_sent(what.msg_id, std::chrono::steady_clock::now());
}

result<void> live_session::correct(const std::string& request, correction what) {
    auto found = cells_.find_by_request(request);
    if (!found)
        return failure{errc::cell_not_found,
                       fmt::format("no cell of this session has the execute_request {}; parent is the msg_id of the "
                                   "request that the kernel works on, and a silent one of a Jupyter client is no cell",
                                   request)};
    if (found->corrections.size() >= most_corrections)
        return failure{errc::limit_reached,
                       fmt::format("{} corrections of this cell are kept, and no more", most_corrections)};
    apply(executions_.input_echoed(request));  // it runs: this may overtake the kernel's own word for it
    log_event("correction", found->id, correction_body(*found, what));
    found->seq_last = log_.last_seq();
    found->corrections.push_back(std::move(what));
    return {};
}

void live_session::record_installed(const std::string& request, std::vector<installed_package> what) {
    auto found = cells_.find_by_request(request);
    if (found) std::move(what.begin(), what.end(), std::back_inserter(found->installed));
}

awaitable<result<std::shared_ptr<const cell>>> live_session::wait_for(std::string cell_id) {
    auto self = shared_from_this();
    auto found = cells_.find(cell_id);
    if (!found) co_return failure{errc::cell_not_found, "there is no cell " + cell_id + " in this session"};
    while (!is_final(found->status)) co_await changed_.wait();
    co_return std::shared_ptr<const cell>(found);
}

std::shared_ptr<const cell> live_session::find_cell(const std::string& cell_id) const { return cells_.find(cell_id); }

std::vector<std::shared_ptr<const cell>> live_session::cells(std::uint64_t after, std::size_t limit) const {
    return cells_.list(after, limit);
}

awaitable<result<void>> live_session::cancel(std::string cell_id) {
    auto self = shared_from_this();
    auto found = cells_.find(cell_id);
    if (!found) co_return failure{errc::cell_not_found, "there is no cell " + cell_id + " in this session"};
    if (is_final(found->status))
        co_return failure{errc::cell_not_running,
                          fmt::format("the cell {} has ended already ({})", cell_id, to_string(found->status))};
    apply(executions_.cancel(found->msg_id));
    co_return result<void>{};
}

result<void> live_session::answer_input(const std::string& cell_id, const std::string& value) {
    if (!pending_input_ || pending_input_->cell_id != cell_id)
        return failure{errc::no_input_requested,
                       "no input() of the cell " + cell_id + " is waiting; another answer may have been first"};
    messaging::message reply;
    reply.where = messaging::channel::stdin_channel;
    reply.header = messaging::make_header("input_reply", agent_session_);
    reply.parent_header = pending_input_->message->header;
    const json content = {{"status", "ok"}, {"value", value}};
    reply.content = content.dump(-1, ' ', false, json::error_handler_t::replace);
    pending_input_.reset();
    auto sent = kernel_->send(reply);
    if (!sent) return sent.error();
    return {};
}

awaitable<result<std::string>> live_session::complete(std::string code, int cursor_pos) {
    const json content = {{"code", std::move(code)}, {"cursor_pos", cursor_pos}};
    co_return co_await ask("complete_request", content.dump(-1, ' ', false, json::error_handler_t::replace));
}

awaitable<result<std::string>> live_session::inspect(std::string code, int cursor_pos, int detail_level) {
    const json content = {{"code", std::move(code)}, {"cursor_pos", cursor_pos}, {"detail_level", detail_level}};
    co_return co_await ask("inspect_request", content.dump(-1, ' ', false, json::error_handler_t::replace));
}

awaitable<result<std::string>> live_session::ask(std::string msg_type, std::string content) {
    auto self = shared_from_this();
    auto available = co_await ready();
    if (!available) co_return available.error();
    messaging::message request;
    request.where = messaging::channel::shell;
    const auto msg_id = make_uuid();
    request.header = messaging::make_header(msg_type, agent_session_, msg_id);
    request.content = std::move(content);
    answers_[msg_id] = std::nullopt;
    auto sent = kernel_->send(request);
    const auto until = std::chrono::steady_clock::now() + answer_patience;
    while (sent && !answers_[msg_id] && std::chrono::steady_clock::now() < until) {
        const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
        co_await changed_.wait_for(left + milliseconds(1));
    }
    auto answer = std::move(answers_[msg_id]);
    answers_.erase(msg_id);
    if (!sent) co_return sent.error();
    if (!answer)
        co_return failure{errc::timeout,
                          "the kernel did not answer within 30 s: it runs a cell (interrupt it, or try later), or does "
                          "not answer this"};
    if (answer->empty()) co_return failure{errc::kernel_dead, "the kernel ended while it was asked"};
    co_return std::move(*answer);
}

}  // namespace gateway::sessions
