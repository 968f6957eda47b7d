#include "gateway/api/composio/agent_tool_calls.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/session_json.hpp"
#include "gateway/api/agent/session_request.hpp"
#include "gateway/api/composio/bash_tool.hpp"
#include "gateway/api/composio/cell_text.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/sessions/command_events.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_listed = 200;
constexpr double longest_seconds = 24 * 3600;

std::optional<milliseconds> seconds_of(const json& from) {
    if (!from.is_number()) return std::nullopt;
    const auto seconds = from.get<double>();
    if (!(seconds > 0) || seconds > longest_seconds) return milliseconds(0);  // which is no good time
    return milliseconds(static_cast<long long>(seconds * 1000));
}

failure bad_time(const char* name) {
    return {errc::invalid_request, std::string(name) + " must be over 0 and at most a day"};
}

bool is_good_time(const std::optional<milliseconds>& what) { return !what || what->count() > 0; }

// As POST /api/v1/sessions reads them.
result<sessions::session_options> options_of(const agent_call& from) {
    json body = *from.arguments;
    if (auto size = body.find("sandbox_size"); size != body.end()) {
        body["sandbox"] = {{"sandbox_size", *size}};
        body.erase("sandbox_size");
    }
    return agent::parse_session_request(to_text(body), from.caller, from.with.options.max_network_rules);
}

json error_of(const sessions::cell& from) {
    if (from.error)
        return {
            {"ename", from.error->ename}, {"evalue", from.error->evalue}, {"traceback", traceback_text(*from.error)}};
    const auto why = why_failed(from);
    return why.empty() ? json(nullptr) : json{{"code", to_string(from.status)}, {"message", why}};
}

json command_data(const sessions::command& from) {
    const auto why = why_stopped(from);
    json made = {{"command_id", from.id},
                 {"status", to_string(from.status)},
                 {"stdout", text_with_trailer(from.out.head, from.out.file)},
                 {"stderr", text_with_trailer(from.err.head, from.err.file)},
                 {"error", why.empty() ? json(nullptr) : json{{"code", to_string(from.status)}, {"message", why}}},
                 {"duration_ms", from.duration.count()}};
    if (from.exit_code) made["exit_code"] = *from.exit_code;
    if (from.signal) made["signal"] = sessions::signal_name(*from.signal);
    if (from.reason != sessions::cell_reason::none) made["reason"] = to_string(from.reason);
    return made;
}

json cell_data(const sessions::cell& from, const shown_cell& shown) {
    json made = {{"cell_id", from.id},
                 {"status", to_string(from.status)},
                 {"stdout", text_with_trailer(from.out.head, from.out.file)},
                 {"stderr", text_with_trailer(from.err.head, from.err.file)},
                 {"result", shown.results},
                 {"error", error_of(from)},
                 {"duration_ms", from.duration.count()},
                 {"kernel_restarted", from.kernel_restarted}};
    if (from.execution_count) made["execution_count"] = *from.execution_count;
    if (from.reason != sessions::cell_reason::none) made["reason"] = to_string(from.reason);
    return made;
}

}  // namespace

awaitable<tool_outcome> create_session(shared_agent_call call) {
    auto options = options_of(*call);
    if (!options) co_return refused_outcome(options.error());
    auto made = co_await call->with.registry.create(std::move(*options));
    if (!made) co_return refused_outcome(made.error());
    co_return good_outcome(agent::session_object(**made));
}

awaitable<tool_outcome> list_sessions(shared_agent_call call) {
    json items = json::array();
    std::size_t left_out = 0;
    for (const auto& each : call->with.registry.list()) {
        if (!call->caller.sees(each->options().user_id)) continue;
        if (items.size() == most_listed) {
            ++left_out;
        } else {
            items.push_back(agent::session_object(*each));
        }
    }
    json data = {{"sessions", std::move(items)}};
    if (left_out > 0) data["left_out"] = left_out;
    co_return good_outcome(data);
}

awaitable<tool_outcome> end_session(shared_agent_call call) {
    const auto id = call->session->id();
    auto removed = co_await call->with.registry.remove(id, kernels::end_reason::session_ended);
    if (!removed) co_return refused_outcome(removed.error());
    json data = {{"id", id}, {"deleted", true}};
    co_return good_outcome(data);
}

awaitable<tool_outcome> execute_code(shared_agent_call call) {
    sessions::execute_options options;
    options.code = text_member(*call->arguments, "code");
    options.allow_stdin = false;
    options.timeout = seconds_of(member(*call->arguments, "timeout_s"));
    if (!is_good_time(options.timeout)) co_return refused_outcome(bad_time("timeout_s"));
    std::function<void(const std::string&)> queued = [which = call->which](const std::string& cell_id) {
        which->cell_id = cell_id;
    };
    auto ended = co_await run_cell(call->session, std::move(options), std::move(queued));
    if (!ended) co_return refused_outcome(ended.error());
    auto shown = co_await read_cell(call->session, **ended, call->with.cells);
    auto made = good_outcome(cell_data(**ended, shown));
    made.error = why_failed(**ended);
    made.images = std::move(shown.images);
    co_return made;
}

awaitable<tool_outcome> run_shell_command(shared_agent_call call) {
    sessions::command_options options;
    options.text = text_member(*call->arguments, "command");
    options.working_dir = text_member(*call->arguments, "cwd");
    options.timeout = seconds_of(member(*call->arguments, "timeout_s"));
    if (!is_good_time(options.timeout)) co_return refused_outcome(bad_time("timeout_s"));
    std::function<void(const std::string&)> begun = [which = call->which](const std::string& id) {
        which->command_id = id;
    };
    auto ended = co_await run_command(call->session, std::move(options), std::move(begun));
    if (!ended) co_return refused_outcome(ended.error());
    auto made = good_outcome(command_data(**ended));
    made.error = why_stopped(**ended);
    co_return made;
}

}  // namespace gateway::api::composio
