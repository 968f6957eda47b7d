#include "gateway/api/composio/connection_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/connection_json.hpp"
#include "gateway/api/composio/connections.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/workbench.hpp"

namespace gateway::api::composio {
namespace {

constexpr milliseconds usual_wait{120'000};
constexpr milliseconds look_again{1'000};  // for accounts that are added in another way than by a link

json state_of(const std::string& toolkit, const char* status, bool has_active) {
    return {{"toolkit", toolkit},      {"status", status},          {"has_active_connection", has_active},
            {"redirect_url", nullptr}, {"auth_config_id", nullptr}, {"connected_account_id", nullptr},
            {"was_reinitiated", false}};
}

json failed(const std::string& toolkit, const std::string& why) {
    auto made = state_of(toolkit, "failed", false);
    made["error_message"] = why;
    made["instruction"] = "Use what is configured and connected here, or ask the user.";
    return made;
}

json missing(const std::string& toolkit) {
    return failed(toolkit, "there is no toolkit " + toolkit.substr(0, 100) +
                               " in this session: its tools are configured on the gateway as [tools.toolkits.NAME], "
                               "what accounts can be connected to as [accounts.services.NAME]");
}

json ready(const std::string& toolkit, const connection& of) {
    auto made = state_of(toolkit, "active", true);
    made["instruction"] = connection_message(of);
    if (!of.account) return made;
    made["connected_account_id"] = of.account->id;
    made["auth_config_id"] = auth_config_id(of.account->toolkit);
    made["created_at"] = of.account->created_at;
    return made;
}

json initiated(const std::string& toolkit, const accounts::pending_link& from) {
    auto made = state_of(toolkit, "initiated", false);
    made["redirect_url"] = from.url;
    made["connected_account_id"] = from.what.id;
    made["auth_config_id"] = auth_config_id(from.what.toolkit);
    made["created_at"] = from.what.created_at;
    made["was_reinitiated"] = from.is_anew;
    made["instruction"] = "Show the user redirect_url, where the key of the service is entered, until " +
                          iso8601(from.expires) + "; then ask again, or call COMPOSIO_WAIT_FOR_CONNECTIONS.";
    return made;
}

// What one of the two tools does about a toolkit that is there.
using judge = json (*)(running_call&, const std::string&, const connection&);

const accounts::pending_link* waiting_link(running_call& call, const std::string& toolkit, const connection& of) {
    const auto* service = of.can_connect ? find_service(call.with, call.settings(), toolkit) : nullptr;
    if (!service) return nullptr;
    const auto* found = call.with.account_links->find_waiting(call.session->id(), service->toolkit);
    return found && (found->is_anew || !of.has_active_account()) ? found : nullptr;
}

json manage(running_call& call, const std::string& toolkit, const connection& of) {
    const bool anew = member(*call.what.arguments, "reinitiate_all") == json(true) && of.can_connect;
    if (of.is_ready() && !anew) return ready(toolkit, of);
    if (!of.can_connect) return failed(toolkit, of.trouble);
    const auto* service = find_service(call.with, call.settings(), toolkit);
    if (!service) return missing(toolkit);
    const auto* waiting = call.with.account_links->find_waiting(call.session->id(), service->toolkit);
    if (waiting && !anew) return initiated(toolkit, *waiting);
    if (waiting) call.with.account_links->cancel(waiting->what.id);
    link_wish what;
    what.is_anew = of.has_active_account();
    auto made = begin_link(call.with, call.found(), *service, std::move(what));
    return made ? initiated(toolkit, *made) : failed(toolkit, made.error().message);
}

json look(running_call& call, const std::string& toolkit, const connection& of) {
    if (const auto* waiting = waiting_link(call, toolkit, of)) return initiated(toolkit, *waiting);
    if (of.is_ready()) return ready(toolkit, of);
    if (!of.can_connect) return failed(toolkit, of.trouble);
    return failed(toolkit, "it is not connected, and no link waits: COMPOSIO_MANAGE_CONNECTIONS begins one");
}

std::size_t count(const json& results, const char* status) {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [&](const auto& each) { return each["status"] == status; }));
}

json answer_of(const running_call& call, json results) {
    const auto total = results.size(), active = count(results, "active"), begun = count(results, "initiated");
    auto message = fmt::format("{} of {} toolkits are ready", active, total);
    if (begun > 0) message += fmt::format(", {} wait for the user to follow redirect_url", begun);
    return {{"message", message},
            {"summary",
             {{"total_toolkits", total},
              {"active_connections", active},
              {"initiated_connections", begun},
              {"failed_connections", total - active - begun}}},
            {"results", std::move(results)},
            {"session", session_echo(*call.what.arguments)}};
}

// By the toolkits' names. A json is not what a result holds: it would be made of anything.
result<void> judge_all(running_call& call, const std::vector<tool_description>& tools, judge how, json& results) {
    auto known = connections_of(call.with, *call.session, call.settings(), tools);
    if (!known) return known.error();
    const auto all = admitted(std::move(*known), call.settings());
    results = json::object();
    for (const auto& each : member(*call.what.arguments, "toolkits")) {
        const auto name = toolkit_name(each.get<std::string>());
        if (results.contains(name)) continue;
        const auto found = find_connection(all, each.get<std::string>());
        results[name] = found == all.end() ? missing(name) : how(call, found->first, found->second);
    }
    return {};
}

milliseconds patience_of(const json& arguments) {
    const auto& given = member(arguments, "timeout_s");
    if (!given.is_number()) return usual_wait;
    constexpr double longest = 86'400;  // no link is good for longer
    return milliseconds(static_cast<std::int64_t>(std::clamp(given.get<double>(), 0.0, longest) * 1000));
}

}  // namespace

awaitable<tool_outcome> manage_connections(shared_call call) {
    auto tools = co_await allowed_tools(call->with.tools, call->settings());
    json results;
    auto judged = judge_all(*call, tools, manage, results);
    co_return judged ? good_outcome(answer_of(*call, std::move(results))) : refused_outcome(judged.error());
}

awaitable<tool_outcome> wait_for_connections(shared_call call) {
    auto tools = co_await allowed_tools(call->with.tools, call->settings());
    const auto until = std::chrono::steady_clock::now() + patience_of(*call->what.arguments);
    while (true) {
        json results;
        auto judged = judge_all(*call, tools, look, results);
        if (!judged) co_return refused_outcome(judged.error());
        const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
        if (count(results, "initiated") == 0 || left.count() <= 0)
            co_return good_outcome(answer_of(*call, std::move(results)));
        co_await call->with.account_links->wait_for_change(std::min(left, look_again));
        auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none)
            co_return refused_outcome({errc::cancelled, "the wait was ended"});
    }
}

}  // namespace gateway::api::composio
