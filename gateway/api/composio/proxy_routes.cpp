// …/proxy_execute: a call of a service with a connected account of the session's user, from outside of the sandbox.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/session_settings.hpp"
#include "gateway/base/base64.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::chrono::hours binary_data_lasts{1};  // it is in the URL itself: nothing ends, but clients want a time

// The published clients fetch what is no text from a URL: one that has it all needs no place to keep it.
std::string binary_data(const accounts::proxy_answer& from) {
    json made = {{"content_type", from.content_type},
                 {"size", from.body.size()},
                 {"expires_at", iso8601(wall_clock::now() + binary_data_lasts)}};
    auto type = from.content_type.empty() ? std::string("application/octet-stream") : from.content_type;
    made["url"] = "data:" + type + ";base64," + to_base64(from.body);
    return to_text(made);
}

// Large ones in the pool.
awaitable<result<accounts::proxy_request>> read_request(const std::string& body, asio::thread_pool& pool) {
    if (auto good = check_size(body, most_call_bytes); !good) co_return good.error();
    if (body.size() <= work_for_pool) co_return accounts::parse_proxy_request(body);
    auto parse = [&body] { return accounts::parse_proxy_request(body); };
    co_return co_await run_on(pool, std::move(parse));
}

std::string envelope_of(const accounts::proxy_answer& of) {
    const bool is_binary = of.form == accounts::answer_form::binary;
    const auto data = is_binary ? binary_data(of) : std::string();
    return accounts::envelope(of, data);
}

awaitable<std::string> write_answer(const accounts::proxy_answer& answer, asio::thread_pool& pool) {
    if (answer.body.size() <= work_for_pool) co_return envelope_of(answer);
    auto work = [&answer] { return envelope_of(answer); };
    co_return co_await run_on(pool, std::move(work));
}

// The context outlives it: the service ends calls before itself.
struct proxy_call {
    context& with;
    accounts::proxy_request what;
    accounts::account_scope whose;
    tools::shared_meters used;
    std::optional<accounts::proxy_answer> answer = {};
};

awaitable<tool_outcome> perform(std::shared_ptr<proxy_call> call) {
    auto answer = co_await call->with.options.proxy->execute(std::move(call->what), std::move(call->whose),
                                                             std::move(call->used));
    if (!answer) co_return refused_outcome(answer.error());
    call->answer = std::move(*answer);
    co_return tool_outcome{};
}

// One of the table's, so that it ends with the others when the gateway stops.
awaitable<http::response> proxy_execute(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto rights = rights_of(found->settings(), *found->session);
    if (!from.caller.only_session.empty() && !rights.from_cells)
        co_return refuse({errc::forbidden,
                          "proxy_execute is off for what works in or beside this session's sandbox: its "
                          "enable_proxy_execution is false"},
                         from);
    auto asked = co_await read_request(from.body, *with.options.pool);
    if (!asked) co_return refuse(asked.error(), from);
    auto call = std::make_shared<proxy_call>(
        proxy_call{with, std::move(*asked), std::move(rights.whose), found->session->meters()});
    auto work = [call](const std::shared_ptr<run>&) { return perform(call); };
    auto watch = with.runs.begin("", false, std::move(work));
    auto ended = co_await (*watch)->wait();
    if (!ended) co_return refuse(ended.error(), from);
    if (const auto& why = (*watch)->outcome().refused) co_return refuse(*why, from);
    auto text = co_await write_answer(*call->answer, *with.options.pool);
    co_return http::json_response(std::move(text));
}

}  // namespace

void add_proxy_routes(http::router& routes, const std::shared_ptr<context>& with) {
    if (with->options.proxy) add_route(routes, with, "POST", "/{}/proxy_execute", http::scope::execute, proxy_execute);
}

account_rights service::rights_of(const sessions::session& which) const {
    auto version = context_->configurations->current(which.id());
    if (!version) version = std::make_shared<const configuration_version>();
    return composio::rights_of(with_sandbox(std::move(version), which)->what, which);
}

tools::tool_filter service::filter_of(const std::string& session_id) const {
    return composio::filter_of(context_->configurations->current(session_id));
}

}  // namespace gateway::api::composio
