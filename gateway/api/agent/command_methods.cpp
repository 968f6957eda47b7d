#include "gateway/api/agent/command_methods.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/agent/bash_request.hpp"
#include "gateway/api/agent/command_calls.hpp"
#include "gateway/api/agent/socket.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::size_t most_id_bytes = 200;

method_outcome answer_with_id(const std::string& command_id) {
    const json answer = {{"command_id", command_id}};
    return answer_with(answer);
}

}  // namespace

awaitable<method_outcome> call_bash(agent_socket& socket, request_object& params) {
    auto options = parse_bash(params, bash_form::socket);
    if (!options) co_return bad_params(options.error());
    auto starting = socket.session().commands().start(std::move(*options));
    auto begun = co_await std::move(starting);
    if (!begun) co_return fail_with(begun.error());
    socket.own(*begun);
    json answer = {{"command_id", begun->cell_id}, {"seq", begun->seq}};
    co_return answer_with(answer);
}

awaitable<method_outcome> call_stdin(agent_socket& socket, request_object& params) {
    fields from(params);
    auto id = from.required_text("command_id", most_id_bytes);
    auto call = parse_stdin(from);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    auto done = socket.session().commands().write(id, std::move(call.data), call.eof);
    if (!done) co_return fail_with(done.error());
    co_return answer_with_id(id);
}

awaitable<method_outcome> call_signal(agent_socket& socket, request_object& params) {
    fields from(params);
    auto id = from.required_text("command_id", most_id_bytes);
    auto call = parse_signal(from);
    if (auto good = from.finish(); !good) co_return bad_params(good.error());
    auto done = socket.session().commands().signal(id, call.number);
    if (!done) co_return fail_with(done.error());
    co_return answer_with_id(id);
}

}  // namespace gateway::api::agent
