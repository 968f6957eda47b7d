// POST /api/v1/sessions/{session}/local_sandbox: what a sandbox needs that the user runs in place of the session's own:
// the helpers as one file of Python, and the environment that they read. docs/helpers.md.
#include <nlohmann/json.hpp>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/local_helpers.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

result<void> check_own_sandbox_is_off(const sessions::session& of) {
    if (!of.has_sandbox()) return {};
    return failure{errc::conflict,
                   "this session has a sandbox of its own, and both cannot work for one session: turn "
                   "that off by PATCH with \"sandbox\": {\"enable\": false}"};
}

awaitable<http::response> give_local_sandbox(context& with, http::request& from) {
    auto found = find_for_action(with, from);
    if (!found) co_return refuse(found.error(), from);
    if (auto off = check_own_sandbox_is_off(**found); !off) co_return refuse(off.error(), from);
    auto url = with.options.links->base_for(from);
    if (!url) co_return refuse(url.error(), from);
    url->pop_back();  // its slash
    json env = {{"BACKEND_URL", *url},
                {"COMPOSIO_TOOLROUTER_SESSION_ID", (*found)->id()},
                {"COMPOSIO_WORKBENCH_ACCESS_KEY", with.options.session_keys->key_of((*found)->id())}};
    json answer = {{"env", std::move(env)}, {"helper_source", local_helpers}};
    co_return http::json_response(dump(answer));
}

}  // namespace

void add_local_sandbox_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "POST", "/api/v1/sessions/{}/local_sandbox", http::scope::execute, give_local_sandbox);
}

}  // namespace gateway::api::agent
