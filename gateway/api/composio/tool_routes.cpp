// …/tools and …/search of a session: what can be called.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/connections.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/tool_search.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t usual_tools = 500;
constexpr std::size_t most_tools = 500;

awaitable<http::response> list_tools(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto all = co_await listed_tools(with.tools, found->settings());
    auto which = read_page(from, all.size(), usual_tools, most_tools);
    if (!which) co_return refuse(which.error(), from);
    json items = json::array();
    for (auto at = which->begin; at < which->end; ++at) items.push_back(shown_tool(all[at]));
    co_return http::json_response(page_answer(*which, std::move(items)));
}

awaitable<http::response> search(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    tool_call asked{"COMPOSIO_SEARCH_TOOLS", *body, find_meta("COMPOSIO_SEARCH_TOOLS")};
    if (auto good = check_tool_call(asked, found->settings()); !good) co_return refuse(good.error(), from);
    auto all = co_await allowed_tools(with.tools, found->settings());
    auto known = connections_of(with, *found->session, found->settings(), all);
    if (!known) co_return refuse(known.error(), from);
    const auto connected = admitted(std::move(*known), found->settings());
    co_return http::json_response(to_text(search_answer(all, **body, found->settings(), connected)));
}

}  // namespace

void add_tool_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/{}/tools", scope::execute, list_tools);
    add_route(routes, with, "POST", "/{}/search", scope::execute, search);
}

}  // namespace gateway::api::composio
