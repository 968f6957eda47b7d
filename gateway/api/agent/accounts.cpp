// /api/v1/accounts: a user's connected accounts, without their secrets.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/account_request.hpp"
#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::agent {
namespace {

using accounts::account;
using nlohmann::json;

json to_object(const account& from) {
    json made = {{"id", from.id},
                 {"user_id", from.user_id},
                 {"toolkit", from.toolkit},
                 {"alias", from.alias.empty() ? json(nullptr) : json(from.alias)},
                 {"base_url", from.base_url},
                 {"hosts", from.hosts},
                 {"auth_scheme", to_string(from.scheme)},
                 {"status", to_string(from.status)},
                 {"created_at", from.created_at}};
    if (from.scheme == accounts::auth_scheme::basic) made["username"] = from.username;
    if (from.scheme != accounts::auth_scheme::api_key) return made;
    made["in"] = to_string(from.place);
    made["name"] = from.parameter;
    if (!from.prefix.empty()) made["prefix"] = from.prefix;
    return made;
}

// When it was made, then its id: good also when the account that it came from is gone.
std::string cursor_of(const account& of) { return of.created_at + "." + of.id; }

result<std::string> asked_user(const http::request& from) {
    auto user = from.find_query("user_id");
    if (from.caller.is_admin()) return user.value_or("");
    if (user && *user != from.caller.user_id)
        return failure{errc::forbidden, fmt::format("user_id {} is another user; this key acts for {} alone", *user,
                                                    from.caller.user_id)};
    return from.caller.user_id;
}

awaitable<http::response> list_accounts(context& with, http::request& from) {
    auto good = check_query(from, {"user_id", "toolkit", "cursor", "limit"});
    if (!good) co_return refuse(good.error(), from);
    auto user = asked_user(from);
    if (!user) co_return refuse(user.error(), from);
    auto limit = query_limit(from);
    if (!limit) co_return refuse(limit.error(), from);
    auto all = with.options.accounts->list();
    if (!all) co_return refuse(all.error(), from);
    auto toolkit = from.find_query("toolkit"), cursor = from.find_query("cursor");
    if (toolkit) toolkit = http::to_lower(*toolkit);  // as accounts have it
    std::erase_if(*all, [&](const account& each) {
        return (!user->empty() && each.user_id != *user) || (toolkit && each.toolkit != *toolkit) ||
               (cursor && cursor_of(each) <= *cursor);
    });
    json answer = {{"items", json::array()}};
    for (std::size_t at = 0; at < all->size() && at < *limit; ++at) answer["items"].push_back(to_object((*all)[at]));
    if (all->size() > *limit) answer["next_cursor"] = cursor_of((*all)[*limit - 1]);
    co_return http::json_response(dump(answer));
}

awaitable<http::response> add_account(context& with, http::request& from) {
    auto good = check_query(from, {});
    if (!good) co_return refuse(good.error(), from);
    auto asked = parse_new_account(from.body, from.caller);
    if (!asked) co_return refuse(asked.error(), from);
    auto made = with.options.accounts->add(std::move(asked->what), asked->secret);
    if (!made) co_return refuse(made.error(), from);
    log::info("account {} was added for user {}", made->id, made->user_id);
    auto answer = http::json_response(dump(to_object(*made)), 201);
    answer.headers.emplace_back("Location", with.options.base_url + "api/v1/accounts/" + made->id);
    co_return answer;
}

// The account that the route names; account_not_found for another user's as for one that never was.
result<account> find_account(context& with, const http::request& from) {
    if (auto good = check_query(from, {}); !good) return good.error();
    auto found = with.options.accounts->find(from.parameters.at(0));
    if (!found || from.caller.sees(found->user_id)) return found;
    return failure{errc::account_not_found, "there is no connected account " + from.parameters.at(0).substr(0, 100)};
}

awaitable<http::response> get_account(context& with, http::request& from) {
    auto found = find_account(with, from);
    if (!found) co_return refuse(found.error(), from);
    co_return http::json_response(dump(to_object(*found)));
}

awaitable<http::response> change_account(context& with, http::request& from) {
    auto found = find_account(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto change = parse_account_change(from.body);
    if (!change) co_return refuse(change.error(), from);
    auto now = with.options.accounts->change(found->id, *change);
    if (!now) co_return refuse(now.error(), from);
    log::info("account {} of user {} was changed", now->id, now->user_id);
    co_return http::json_response(dump(to_object(*now)));
}

awaitable<http::response> remove_account(context& with, http::request& from) {
    auto found = find_account(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto gone = with.options.accounts->remove(found->id);
    if (!gone) co_return refuse(gone.error(), from);
    log::info("account {} of user {} was removed", gone->id, gone->user_id);
    json answer = {{"id", gone->id}, {"deleted", true}};
    co_return http::json_response(dump(answer));
}

}  // namespace

void add_account_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    if (!with->options.accounts) return;
    add_route(routes, with, "GET", "/api/v1/accounts", scope::execute, list_accounts);
    add_route(routes, with, "POST", "/api/v1/accounts", scope::session, add_account);
    add_route(routes, with, "GET", "/api/v1/accounts/{}", scope::execute, get_account);
    add_route(routes, with, "PATCH", "/api/v1/accounts/{}", scope::session, change_account);
    add_route(routes, with, "DELETE", "/api/v1/accounts/{}", scope::session, remove_account);
}

}  // namespace gateway::api::agent
