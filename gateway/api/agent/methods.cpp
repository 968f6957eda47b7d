#include "gateway/api/agent/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/command_methods.hpp"
#include "gateway/api/agent/execute_request.hpp"
#include "gateway/api/agent/fields.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/session_json.hpp"
#include "gateway/api/agent/socket.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_int = std::numeric_limits<int>::max();

using outcome = awaitable<method_outcome>;

constexpr std::size_t most_id_bytes = 200;
constexpr std::size_t most_input_bytes = 1u << 20;

method_outcome answer_raw(result<std::string> content) {
    if (!content) return fail_with(content.error());
    if (!messaging::is_object(*content))
        return fail_with(failure{errc::internal_error, "the kernel's answer is not an object"});
    auto parsed = json::parse(*content, nullptr, false);
    return answer_with(parsed.is_object() ? parsed : json::object());
}

outcome attach(agent_socket& socket, request_object& params) {
    fields from(params);
    auto after = from.number("after_seq");
    auto last = socket.session().log().last_seq();
    if (after && *after > last)
        from.refuse(fmt::format("after_seq is {}, but the newest seq of this session is {}", *after, last));
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    if (after)
        socket.go_to(*after);
    else
        socket.attach_from_now();
    json answer = {{"after_seq", after.value_or(last)},
                   {"first_seq", socket.session().log().first_seq()},
                   {"last_seq", last},
                   {"pending_input", pending_input_object(socket.session())}};
    co_return answer_with(answer);
}

outcome execute(agent_socket& socket, request_object& params) {
    auto options = parse_execute(params, execute_form::socket);
    if (!options) co_return bad_params(options.error());
    auto sent = socket.session().execute(std::move(*options));
    if (!sent) co_return fail_with(sent.error());
    socket.own(*sent);
    json answer = {{"cell_id", sent->cell_id}, {"seq", sent->seq}};
    co_return answer_with(answer);
}

outcome cancel(agent_socket& socket, request_object& params) {
    fields from(params);
    auto cell_id = from.required_text("cell_id", most_id_bytes);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    auto done = co_await socket.session().cancel(cell_id);
    if (!done) co_return fail_with(done.error());
    json answer = {{"cell_id", cell_id}};
    co_return answer_with(answer);
}

outcome interrupt(agent_socket& socket, request_object& params) {
    if (auto good = fields(params).finish(); !good) co_return bad_params(good.error());
    auto done = co_await socket.session().interrupt();
    if (!done) co_return fail_with(done.error());
    co_return answer_with(session_object(socket.session()));
}

outcome restart(agent_socket& socket, request_object& params) {
    if (auto good = fields(params).finish(); !good) co_return bad_params(good.error());
    auto done = co_await socket.session().restart();
    if (!done) co_return fail_with(done.error());
    co_return answer_with(session_object(socket.session()));
}

// In code points; the end when there is none. Past the end is the end: a kernel that is asked about what is not there
// may raise, and never reply.
int cursor_of(fields& from, const std::string& code) {
    auto told = from.number("cursor_pos");
    auto end = static_cast<std::uint64_t>(std::count_if(code.begin(), code.end(), messaging::begins_character));
    return static_cast<int>(std::min<std::uint64_t>(told.value_or(end), std::min(end, most_int)));
}

outcome complete(agent_socket& socket, request_object& params) {
    fields from(params);
    auto code = from.code();
    auto cursor = cursor_of(from, code);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    co_return answer_raw(co_await socket.session().complete(code, cursor));
}

outcome inspect(agent_socket& socket, request_object& params) {
    fields from(params);
    auto code = from.code();
    auto cursor = cursor_of(from, code);
    auto detail = from.number("detail_level", 1).value_or(0);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    co_return answer_raw(co_await socket.session().inspect(code, cursor, static_cast<int>(detail)));
}

outcome input(agent_socket& socket, request_object& params) {
    fields from(params);
    auto cell_id = from.required_text("cell_id", most_id_bytes);
    auto value = from.required_text("value", most_input_bytes);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    auto done = socket.session().answer_input(cell_id, value);
    if (!done) co_return fail_with(done.error());
    json answer = {{"cell_id", cell_id}};
    co_return answer_with(answer);
}

outcome status(agent_socket& socket, request_object& params) {
    if (auto good = fields(params).finish(); !good) co_return bad_params(good.error());
    method_outcome answer{status_json(socket.session()), std::nullopt};
    co_return answer;
}

struct method {
    const char* name;
    outcome (*call)(agent_socket&, request_object&);
};

constexpr method methods[] = {
    {"attach", attach},   {"execute", execute},   {"cancel", cancel},    {"interrupt", interrupt},
    {"restart", restart}, {"complete", complete}, {"inspect", inspect},  {"input", input},
    {"status", status},   {"bash", call_bash},    {"stdin", call_stdin}, {"signal", call_signal},
};

}  // namespace

method_outcome answer_with(const json& what) { return {dump(what), std::nullopt}; }
method_outcome bad_params(failure why) { return {"", rpc_error{rpc_code::invalid_params, std::move(why)}}; }
method_outcome fail_with(failure why) { return {"", rpc_error{rpc_code::server_error, std::move(why)}}; }

awaitable<method_outcome> call_method(agent_socket& socket, std::string name, std::shared_ptr<request_object> params) {
    for (const auto& each : methods)
        if (name == each.name) co_return co_await each.call(socket, *params);
    method_outcome unknown;
    unknown.error = rpc_error{rpc_code::method_not_found,
                              failure{errc::not_found, fmt::format("there is no method {}; there are {}", name,
                                                                   fmt::join(method_names(), ", "))}};
    co_return unknown;
}

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const auto& each : methods) names.emplace_back(each.name);
    return names;
}

}  // namespace gateway::api::agent
