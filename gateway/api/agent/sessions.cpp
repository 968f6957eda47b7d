// /api/v1/sessions and what is below it, but for cells, notebook and WebSocket.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/fields.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/network_json.hpp"
#include "gateway/api/agent/session_json.hpp"
#include "gateway/api/agent/session_request.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// The order of a listing, and its cursor: when a session was made (microseconds), then its id. A cursor stays good when
// the session that it came from has ended.
using place = std::tuple<long long, std::string>;

place place_of(const sessions::session& which) {
    auto since = which.created_at().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since).count(), which.id()};
}

std::string to_cursor(const place& at) { return fmt::format("{}.{}", std::get<0>(at), std::get<1>(at)); }

result<place> parse_cursor(const std::string& text) {
    if (text.empty()) return place{-1, ""};
    auto dot = text.find('.');
    long long micros = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), micros);
    if (dot == std::string::npos || ec != std::errc() || end != text.data() + dot || micros < 0 ||
        !text.substr(dot + 1).starts_with("ses_"))
        return failure{errc::invalid_request, "cursor is not one that next_cursor gave"};
    return place{micros, text.substr(dot + 1)};
}

result<std::string> asked_user(const http::request& from) {
    auto user = from.find_query("user_id");
    if (from.caller.is_admin()) return user.value_or("");
    if (user && *user != from.caller.user_id)
        return failure{errc::forbidden, fmt::format("user_id {} is another user; this key acts for {} alone", *user,
                                                    from.caller.user_id)};
    return from.caller.user_id;
}

std::vector<shared_session> sessions_after(context& with, const std::string& user, const place& after) {
    auto all = with.registry.list();
    std::erase_if(all, [&](const auto& each) {
        return (!user.empty() && each->options().user_id != user) || place_of(*each) <= after;
    });
    std::sort(all.begin(), all.end(),
              [](const auto& left, const auto& right) { return place_of(*left) < place_of(*right); });
    return all;
}

awaitable<http::response> list_sessions(context& with, http::request& from) {
    auto good = check_query(from, {"user_id", "cursor", "limit"});
    if (!good) co_return refuse(good.error(), from);
    auto user = asked_user(from);
    if (!user) co_return refuse(user.error(), from);
    auto after = parse_cursor(from.find_query("cursor").value_or(""));
    if (!after) co_return refuse(after.error(), from);
    auto limit = query_limit(from);
    if (!limit) co_return refuse(limit.error(), from);
    auto all = sessions_after(with, *user, *after);
    json answer = {{"items", json::array()}};
    for (std::size_t at = 0; at < all.size() && at < *limit; ++at) answer["items"].push_back(session_object(*all[at]));
    if (all.size() > *limit) answer["next_cursor"] = to_cursor(place_of(*all[*limit - 1]));
    co_return http::json_response(dump(answer));
}

awaitable<http::response> create_session(context& with, http::request& from) {
    auto good = check_query(from, {});
    if (!good) co_return refuse(good.error(), from);
    auto options = parse_session_request(from.body, from.caller, with.options.max_network_rules);
    if (!options) co_return refuse(options.error(), from);
    auto made = co_await with.registry.create(std::move(*options));
    if (!made) co_return refuse(made.error(), from);
    auto answer = http::json_response(session_json(**made), 201);
    answer.headers.emplace_back("Location", with.options.base_url + "api/v1/sessions/" + (*made)->id());
    co_return answer;
}

http::response show(context& with, const http::request& from, std::string (*to_json)(const sessions::session&)) {
    if (auto good = check_query(from, {"user_id"}); !good) return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) return refuse(found.error(), from);
    return http::json_response(to_json(**found));
}

awaitable<http::response> get_session(context& with, http::request& from) { co_return show(with, from, session_json); }

awaitable<http::response> get_network(context& with, http::request& from) { co_return show(with, from, network_json); }

awaitable<http::response> change_session(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto change = parse_session_change(from.body, with.options.max_network_rules);
    if (!change) co_return refuse(change.error(), from);
    auto changed = co_await with.registry.change((*found)->id(), std::move(*change));
    if (!changed) co_return refuse(changed.error(), from);
    co_return http::json_response(session_json(**found));
}

awaitable<http::response> delete_session(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto id = (*found)->id();
    auto removed = co_await with.registry.remove(id, kernels::end_reason::session_ended);
    if (!removed) co_return refuse(removed.error(), from);
    json answer = {{"id", id}, {"deleted", true}};
    co_return http::json_response(dump(answer));
}

awaitable<http::response> interrupt_session(context& with, http::request& from) {
    auto found = find_for_action(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto done = co_await (*found)->interrupt();
    if (!done) co_return refuse(done.error(), from);
    co_return http::json_response(session_json(**found));
}

awaitable<http::response> restart_session(context& with, http::request& from) {
    auto found = find_for_action(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto done = co_await (*found)->restart();
    if (!done) co_return refuse(done.error(), from);
    co_return http::json_response(session_json(**found));
}

}  // namespace

result<shared_session> find_for_action(context& with, const http::request& from) {
    if (auto good = check_query(from, {"user_id"}); !good) return good.error();
    auto found = find_session(with, from);
    if (!found) return found;
    auto object = read_request(from.body, request_form::plain);
    if (!object) return object.error();
    if (auto good = fields(*object).finish(); !good) return good.error();
    return found;
}

void add_session_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "GET", "/api/v1/sessions", scope::execute, list_sessions);
    add_route(routes, with, "POST", "/api/v1/sessions", scope::session, create_session);
    add_route(routes, with, "GET", "/api/v1/sessions/{}", scope::execute, get_session);
    add_route(routes, with, "PATCH", "/api/v1/sessions/{}", scope::session, change_session);
    add_route(routes, with, "DELETE", "/api/v1/sessions/{}", scope::session, delete_session);
    add_route(routes, with, "GET", "/api/v1/sessions/{}/network", scope::execute, get_network);
    add_route(routes, with, "POST", "/api/v1/sessions/{}/interrupt", scope::execute, interrupt_session);
    add_route(routes, with, "POST", "/api/v1/sessions/{}/restart", scope::execute, restart_session);
}

}  // namespace gateway::api::agent
