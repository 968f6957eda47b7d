// …/proxy_execute: a call of a service with a connected account of the session's user, from outside of the sandbox.
#include <nlohmann/json.hpp>

#include "gateway/accounts/base64.hpp"
#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/session_settings.hpp"
#include "gateway/base/ids.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::chrono::hours binary_data_lasts{1};  // it is in the URL itself: nothing ends, but clients want a time

// The published clients fetch what is no text from a URL: one that has it all needs no place to keep it.
std::string binary_data(const accounts::proxy_answer& from) {
    json made = {{"content_type", from.content_type},
                 {"size", from.body.size()},
                 {"expires_at", iso8601(wall_clock::now() + binary_data_lasts)}};
    auto type = from.content_type.empty() ? std::string("application/octet-stream") : from.content_type;
    made["url"] = "data:" + type + ";base64," + accounts::to_base64(from.body);
    return to_text(made);
}

awaitable<http::response> proxy_execute(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto rights = rights_of(found->settings(), *found->session);
    if (!from.caller.only_session.empty() && !rights.from_cells)
        co_return refuse({errc::forbidden,
                          "proxy_execute is off for what works in or beside this session's sandbox: its "
                          "enable_proxy_execution is false"},
                         from);
    auto asked = accounts::parse_proxy_request(from.body);
    if (!asked) co_return refuse(asked.error(), from);
    auto used = found->session->meters();
    auto answer = co_await with.options.proxy->execute(std::move(*asked), std::move(rights.whose), std::move(used));
    if (!answer) co_return refuse(answer.error(), from);
    bool is_binary = answer->form == accounts::answer_form::binary;
    auto data = is_binary ? binary_data(*answer) : std::string();
    co_return http::json_response(accounts::envelope(*answer, data));
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
