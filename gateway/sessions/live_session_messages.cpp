// What a session does with each message of its kernel: log it, then let the cells and clients know.
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/live_session.hpp"
#include "messaging/json_members.hpp"
#include "messaging/json_string.hpp"

namespace gateway::sessions {
namespace {

using messaging::json_members;

bool is_output(const std::string& type) {
    return type == "stream" || type == "display_data" || type == "execute_result" || type == "update_display_data" ||
           type == "error" || type == "clear_output";
}

void note_count(cell* owner, const json_members& content) {
    if (auto count = content.integer("execution_count"); owner && count) owner->execution_count = count;
}

}  // namespace

void live_session::on_message(messaging::shared_message what) {
    auto self = shared_from_this();
    auto header = messaging::parse_header(what->header);
    auto parent = messaging::parse_header(what->parent_header);
    if (!header || !parent) {
        log::warning("session {}: the kernel sent a message with a header that cannot be read", id());
        return;
    }
    reading from{std::move(what), std::move(*header), std::move(*parent), nullptr};
    from.owner = cells_.find_by_request(from.parent.msg_id);
    touch(from);
    switch (from.what->where) {
        case messaging::channel::iopub:
            on_iopub(from);
            break;
        case messaging::channel::shell:
        case messaging::channel::control:
            on_reply(from);
            break;
        case messaging::channel::stdin_channel:
            on_stdin(from);
            break;
    }
}

// Activity is what code does; asking after the kernel (kernel_info) is not, so that a page left open can be culled.
void live_session::touch(const reading& from) {
    const auto& parent = from.parent.msg_type;
    if (parent == "execute_request" || parent.starts_with("comm_") || from.header.msg_type.starts_with("comm_"))
        last_activity_ = wall_clock::now();
}

void live_session::on_iopub(reading& from) {
    const auto& type = from.header.msg_type;
    if (type == "execute_input") on_execute_input(from);
    const auto seq = log_message(from, "");
    if (type == "status") {
        on_status(from);
    } else if (type == "debug_event") {
        on_debug_event(from);
    } else if (from.owner && is_output(type)) {
        entry logged;
        logged.seq = seq;
        logged.type = type;
        logged.message = from.what;
        cells_.record(*from.owner, logged);
    }
}

void live_session::on_status(const reading& from) {
    const auto state = json_members(from.what->content).text("execution_state");
    const auto& parent = from.parent.msg_id;
    const auto now = std::chrono::steady_clock::now();
    if (state == "busy") {
        if (busy_parents_.empty()) busy_since_ = now;
        busy_parents_.insert(parent);
        apply(executions_.busy(parent, now));
    } else if (state == "idle") {
        busy_parents_.erase(parent);
        if (busy_parents_.empty()) busy_since_.reset();
        apply(executions_.idle(parent, now));
        if (auto foreign = foreign_.extract(parent); !foreign.empty()) finish_foreign(foreign.mapped());
    }
}

// A request that came to the kernel by another way (a client on its connection file) is a cell from here on.
void live_session::on_execute_input(reading& from) {
    const json_members content(from.what->content);
    if (!from.owner && !from.parent.msg_id.empty() && from.parent.session != agent_session_) {
        cell seen;
        seen.id = make_id("cell_");
        seen.sent_by = origin::jupyter;
        seen.msg_id = from.parent.msg_id;
        seen.code = content.text("code");
        seen.queued_at = wall_clock::now();
        log_queued(seen);
        from.owner = cells_.add(std::move(seen), false);
        keep_cell(*from.owner, cell_finished_body(*from.owner), "");
        foreign_[from.owner->msg_id] = from.owner;
        perform(action::began{from.owner->msg_id});
    }
    note_count(from.owner.get(), content);
    apply(executions_.input_echoed(from.parent.msg_id));
}

void live_session::finish_foreign(const std::shared_ptr<cell>& which) {
    const auto status = !which->error                                ? cell_status::ok
                        : which->error->ename == "KeyboardInterrupt" ? cell_status::interrupted
                                                                     : cell_status::error;
    end_cell(*which, status, cell_reason::none, false);
}

void live_session::on_reply(const reading& from) {
    const auto& parent = from.parent.msg_id;
    if (auto waiting = answers_.find(parent); waiting != answers_.end()) {
        waiting->second = from.what->content;
        changed_.notify_all();
        return;
    }
    if (auto request = requests_.take(parent)) log_message(from, request->client);
    if (from.header.msg_type != "execute_reply") return;
    const json_members content(from.what->content);
    note_count(from.owner.get(), content);
    const auto status = content.text("status");
    const auto ename = content.text("ename");
    // A cell that fails without an error output (a kernel that only replies) still tells its error.
    if (from.owner && status == "error" && !from.owner->error)
        from.owner->error = cell_error{ename, content.text("evalue"), {}};
    apply(executions_.replied(parent, status, ename, std::chrono::steady_clock::now()));
}

void live_session::on_stdin(const reading& from) {
    const json_members content(from.what->content);
    const auto* request = requests_.find(from.parent.msg_id);
    pending_input_client_ = request ? request->client : agents_only;
    pending_input_ = input_prompt{from.owner ? from.owner->id : std::string(), content.text("prompt"),
                                  content.is_true("password"), from.what};
    pending_input_parent_ = from.parent.msg_id;
    pending_input_seq_ = log_message(from, pending_input_client_);
}

void live_session::on_debug_event(const reading& from) {
    const auto happened = json_members(from.what->content).text("event");
    const auto now = std::chrono::steady_clock::now();
    if (happened == "stopped") executions_.debugger_stopped(now);
    if (happened == "continued") executions_.debugger_continued(now);
    arm_timer();
}

std::uint64_t live_session::log_message(const reading& from, const std::string& client) {
    entry made;
    made.kind = entry_kind::message;
    made.client = client;
    made.cell_id = from.owner ? from.owner->id : std::string();
    made.type = from.header.msg_type;
    made.parent = from.parent.msg_id;
    made.message = from.what;
    return append(std::move(made));
}

void live_session::log_own(messaging::message what, const std::string& client) {
    auto header = messaging::parse_header(what.header);
    auto parent = messaging::parse_header(what.parent_header);
    if (!header || !parent) return;
    reading made{std::make_shared<const messaging::message>(std::move(what)), std::move(*header), std::move(*parent),
                 nullptr};
    made.owner = cells_.find_by_request(made.parent.msg_id);
    log_message(made, client);
}

messaging::shared_message live_session::status_message() const {
    return std::make_shared<const messaging::message>(make_status(to_string(state()), kernel_->kernel_session()));
}

std::optional<open_question> live_session::pending_question() const {
    if (!pending_input_) return std::nullopt;
    return open_question{pending_input_->message, pending_input_seq_, pending_input_client_};
}

messaging::shared_message live_session::note(const std::string& text, const std::string& parent_header) const {
    auto content = R"({"name":"stderr","text":)" + messaging::quote(text) + "}";
    return std::make_shared<const messaging::message>(messaging::make_message(
        messaging::channel::iopub, "stream", kernel_->kernel_session(), std::move(content), parent_header));
}

}  // namespace gateway::sessions
