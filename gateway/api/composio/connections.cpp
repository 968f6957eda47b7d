#include "gateway/api/composio/connections.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/session_settings.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

// As the toolkit's tools name it, where it has some: "git_hub" for accounts of git-hub.
connection& at(connections& all, const std::string& toolkit) {
    auto found = all.find(toolkit_name(toolkit));
    return found != all.end() && found->second.tools > 0 ? found->second : all[toolkit];
}

void add_account(connection& to, const std::vector<accounts::account>& all, const accounts::account_scope& whose,
                 const std::string& toolkit) {
    auto chosen = accounts::choose(all, whose, toolkit, "");
    if (chosen) {
        to.account = std::move(*chosen);
        return;
    }
    to.trouble = chosen.error().message;
    auto found = accounts::candidates(all, whose, toolkit);
    auto is_active = [](const auto& each) { return each.status == accounts::account_status::active; };
    auto first = std::find_if(found.begin(), found.end(), is_active);
    if (first == found.end()) first = found.begin();
    if (first != found.end()) to.account = std::move(*first);
}

std::string callback_of(const configuration& settings) {
    const auto document = json::parse(settings.document, nullptr, false);
    return text_member(member(document, "manage_connections"), "callback_url");
}

}  // namespace

result<connections> connections_of(context& with, const sessions::session& of, const configuration& settings,
                                   const std::vector<tool_description>& tools) {
    connections made;
    for (const auto& each : tools) ++made[toolkit_name(each.toolkit)].tools;
    if (!with.options.accounts) return made;
    auto all = with.options.accounts->list();
    if (!all) return all.error();
    const auto whose = rights_of(settings, of).whose;
    std::set<std::string> toolkits;
    for (const auto& each : *all)
        if (each.user_id == whose.user_id) toolkits.insert(each.toolkit);
    for (const auto& [toolkit, service] : with.account_links->services()) {
        toolkits.insert(toolkit);
        at(made, toolkit).can_connect = !whose.pinned.contains(toolkit);
    }
    for (const auto& each : toolkits) add_account(at(made, each), *all, whose, each);
    return made;
}

connections admitted(connections all, const configuration& settings) {
    std::erase_if(all, [&](const auto& each) { return !settings.toolkits.admits(toolkit_name(each.first)); });
    return all;
}

connections::const_iterator find_connection(const connections& all, const std::string& name) {
    auto found = all.find(http::to_lower(name));
    if (found != all.end()) return found;
    return std::find_if(all.begin(), all.end(),
                        [&](const auto& each) { return toolkit_name(each.first) == toolkit_name(name); });
}

const accounts::account* find_service(const context& with, const configuration& settings, const std::string& name) {
    const auto wanted = toolkit_name(name);
    if (!with.account_links || !settings.toolkits.admits(wanted)) return nullptr;
    const auto& all = with.account_links->services();
    if (auto exact = all.find(http::to_lower(name)); exact != all.end()) return &exact->second;
    auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return toolkit_name(each.first) == wanted; });
    return found == all.end() ? nullptr : &found->second;
}

result<accounts::pending_link> begin_link(context& with, const found_session& of, const accounts::account& service,
                                          link_wish what) {
    if (of.page_url.empty())
        return failure{errc::invalid_request,
                       "a link begins with the request's Host: send one, or set server.public_url"};
    if (what.callback_url.empty()) what.callback_url = callback_of(of.settings());
    return with.account_links->begin(
        service, {of.session->options().user_id, of.session->id(), service.toolkit, std::move(what.alias),
                  std::move(what.callback_url), what.is_anew, of.page_url});
}

}  // namespace gateway::api::composio
