// …/tools, …/toolkits, …/search and …/link of a session: what can be called.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/tool_search.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t usual_tools = 500;
constexpr std::size_t most_tools = 500;
constexpr std::size_t usual_toolkits = 20;
constexpr std::size_t most_toolkits = 50;

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

json shown_toolkit(const std::string& slug, std::size_t count, bool enabled) {
    return {{"slug", slug},
            {"name", slug},
            {"enabled", enabled},
            {"is_no_auth", true},
            {"meta", {{"logo", ""}, {"description", std::to_string(count) + " tools"}}},
            {"composio_managed_auth_schemes", json::array()},
            {"connected_account", nullptr}};
}

// What the query asks for: a list of slugs, a part of a name, connected ones (nothing here needs a connection).
bool is_asked(const http::request& from, const std::string& slug) {
    auto wanted = from.find_query("toolkits").value_or("");
    std::set<std::string> names;
    for (auto each : http::split_list(wanted)) names.insert(toolkit_name(each));
    if (!names.empty() && !names.contains(slug)) return false;
    return slug.find(http::to_lower(from.find_query("search").value_or(""))) != slug.npos;
}

awaitable<http::response> list_toolkits(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    std::map<std::string, std::size_t> counts;
    for (const auto& each : co_await with.tools.list()) ++counts[toolkit_name(each.toolkit)];
    json all = json::array();
    for (const auto& [slug, count] : counts)
        if (is_asked(from, slug)) all.push_back(shown_toolkit(slug, count, found->settings().toolkits.admits(slug)));
    auto which = read_page(from, all.size(), usual_toolkits, most_toolkits);
    if (!which) co_return refuse(which.error(), from);
    json items = json::array();
    for (auto at = which->begin; at < which->end; ++at) items.push_back(all[at]);
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
    co_return http::json_response(to_text(search_answer(all, **body, found->settings())));
}

// Nothing here is connected by a user: what is configured works, and nothing else is there.
awaitable<http::response> link(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    const auto wanted = toolkit_name(text_member(**body, "toolkit"));
    if (wanted.empty()) co_return refuse({errc::invalid_request, "Validation error: Required at \"toolkit\""}, from);
    auto all = co_await allowed_tools(with.tools, found->settings());
    const bool is_there =
        std::any_of(all.begin(), all.end(), [&](const auto& each) { return toolkit_name(each.toolkit) == wanted; });
    if (is_there)
        co_return refuse({errc::invalid_request, "the toolkit " + wanted + " needs no connection: call its tools"},
                         from);
    co_return refuse({errc::not_found, "there is no toolkit " + wanted.substr(0, 100) +
                                           " in this session: toolkits are configured on the gateway as "
                                           "[tools.toolkits.NAME]"},
                     from);
}

}  // namespace

void add_tool_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/{}/tools", scope::execute, list_tools);
    add_route(routes, with, "GET", "/{}/toolkits", scope::execute, list_toolkits);
    add_route(routes, with, "POST", "/{}/search", scope::execute, search);
    add_route(routes, with, "POST", "/{}/link", http::scope::execute, link);
}

}  // namespace gateway::api::composio
