// …/toolkits and …/link of a session, and /connected_accounts/{id}: what its user has connected, and connects.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "gateway/api/composio/connection_json.hpp"
#include "gateway/api/composio/connections.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t usual_toolkits = 20;
constexpr std::size_t most_toolkits = 50;

// What the query asks for: a list of names, a part of a name, whether calls can be made as it is.
struct toolkit_query {
    std::set<std::string> names;
    std::string part;
    std::string is_connected;

    bool admits(const std::string& slug, const connection& of) const {
        if (!names.empty() && !names.contains(toolkit_name(slug))) return false;
        if (!is_connected.empty() && is_connected != (of.is_ready() ? "true" : "false")) return false;
        return slug.find(part) != slug.npos;
    }
};

result<toolkit_query> read_query(const http::request& from) {
    toolkit_query made;
    const auto wanted = from.find_query("toolkits").value_or("");
    for (auto each : http::split_list(wanted)) made.names.insert(toolkit_name(each));
    made.part = http::to_lower(from.find_query("search").value_or(""));
    made.is_connected = http::to_lower(from.find_query("is_connected").value_or(""));
    if (made.is_connected.empty() || made.is_connected == "true" || made.is_connected == "false") return made;
    return failure{errc::invalid_request, "is_connected must be true or false"};
}

awaitable<http::response> list_toolkits(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto asked = read_query(from);
    if (!asked) co_return refuse(asked.error(), from);
    auto tools = co_await with.tools.list();
    auto known = connections_of(with, *found->session, found->settings(), tools);
    if (!known) co_return refuse(known.error(), from);
    json all = json::array();
    for (const auto& [slug, each] : *known)
        if (asked->admits(slug, each))
            all.push_back(shown_toolkit(slug, each, found->settings().toolkits.admits(toolkit_name(slug))));
    auto which = read_page(from, all.size(), usual_toolkits, most_toolkits);
    if (!which) co_return refuse(which.error(), from);
    json items = json::array();
    for (auto at = which->begin; at < which->end; ++at) items.push_back(all[at]);
    co_return http::json_response(page_answer(*which, std::move(items)));
}

result<link_wish> read_wish(const json& body) {
    for (const char* name : {"toolkit", "callback_url", "alias"})
        if (const auto& given = member(body, name); !given.is_null() && !given.is_string())
            return failure{errc::invalid_request, std::string("Validation error: \"") + name + "\" must be a string"};
    const auto type = text_member(member(body, "experimental"), "account_type");
    if (!type.empty() && http::to_lower(type) != "private")
        return failure{errc::invalid_request,
                       "experimental.account_type must be PRIVATE: an account here is one user's"};
    link_wish made;
    made.alias = text_member(body, "alias");
    made.callback_url = text_member(body, "callback_url");
    return made;
}

// Why nothing is connected for a toolkit that is no service.
awaitable<failure> refuse_toolkit(context& with, const configuration& settings, std::string name) {
    auto all = co_await allowed_tools(with.tools, settings);
    const auto wanted = toolkit_name(name);
    const bool is_there =
        std::any_of(all.begin(), all.end(), [&](const auto& each) { return toolkit_name(each.toolkit) == wanted; });
    if (is_there)
        co_return failure{errc::invalid_request, "the toolkit " + wanted + " needs no connection: call its tools"};
    co_return failure{errc::not_found, "there is no toolkit " + wanted.substr(0, 100) +
                                           " in this session: what accounts can be connected to is configured on the "
                                           "gateway as [accounts.services.NAME], toolkits as [tools.toolkits.NAME]"};
}

awaitable<http::response> link(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto body = read_body(from.body);
    if (!body) co_return refuse(body.error(), from);
    auto wish = read_wish(**body);
    if (!wish) co_return refuse(wish.error(), from);
    const auto name = text_member(**body, "toolkit");
    if (toolkit_name(name).empty())
        co_return refuse({errc::invalid_request, "Validation error: Required at \"toolkit\""}, from);
    const auto* service = find_service(with, found->settings(), name);
    if (!service) {
        auto why = co_await refuse_toolkit(with, found->settings(), name);
        co_return refuse(why, from);
    }
    auto made = begin_link(with, *found, *service, std::move(*wish));
    if (!made) co_return refuse(made.error(), from);
    json answer = {{"connected_account_id", made->what.id}, {"link_token", made->token}, {"redirect_url", made->url}};
    co_return http::json_response(to_text(answer), 201);
}

// Another user's is as one that never was.
awaitable<http::response> get_connected_account(context& with, http::request& from) {
    const auto& id = from.parameters.at(0);
    auto found = with.options.accounts->find(id);
    if (found && from.caller.sees(found->user_id)) co_return http::json_response(to_text(shown_account(*found)));
    if (!found && found.error().code != errc::account_not_found) co_return refuse(found.error(), from);
    const auto* link = with.account_links->find(id);
    if (link && from.caller.sees(link->what.user_id))
        co_return http::json_response(to_text(shown_link(*link, with.account_links->is_over(*link))));
    co_return refuse({errc::account_not_found, "there is no connected account " + id.substr(0, 100)}, from);
}

}  // namespace

void add_connection_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/{}/toolkits", scope::execute, list_toolkits);
    add_route(routes, with, "POST", "/{}/link", scope::execute, link);
    if (!with->options.accounts) return;
    for (const char* prefix : {"/api/v3.1", "/api/v3"}) {
        http::route added;
        added.method = "GET";
        added.pattern = std::string(prefix) + "/connected_accounts/{}";
        added.needed = scope::execute;
        added.errors = http::error_style::composio;
        added.handle = [with](http::request& from) { return get_connected_account(*with, from); };
        routes.add(std::move(added));
    }
}

}  // namespace gateway::api::composio
