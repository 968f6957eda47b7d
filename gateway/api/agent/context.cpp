#include "gateway/api/agent/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/files/store_calls.hpp"

namespace gateway::api::agent {

void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const char* pattern,
               http::scope needed, endpoint what, route_traits traits) {
    http::route added;
    added.method = method;
    added.pattern = pattern;
    added.needed = needed;
    added.errors = http::error_style::agent;
    added.any_name = traits.any_name;
    added.streams_body = traits.streams_body;
    added.takes_session_key = traits.takes_session_key;
    added.handle = [with, what](http::request& from) { return what(*with, from); };
    routes.add(std::move(added));
}

http::response refuse(const failure& why, const http::request& from) {
    return http::error_response(why, http::error_style::agent, from.id);
}

result<shared_session> find_session(context& with, const http::request& from) {
    const auto& wanted = from.parameters.at(0);
    auto user = from.caller.user_id;
    if (from.caller.is_admin()) user = from.find_query("user_id").value_or(user);
    auto found = with.registry.find(wanted);
    if (!found) found = with.registry.find_by_name(user, wanted);
    if (found && from.caller.sees(found->options().user_id)) return found;
    return failure{errc::session_not_found,
                   fmt::format("there is no session {}; GET /api/v1/sessions lists those there are", wanted)};
}

result<mounts::file_path> find_path(const http::request& from) { return files::parse_path(from.parameters.at(1)); }

result<void> check_query(const http::request& from, const std::vector<std::string_view>& known) {
    for (const auto& [name, value] : from.query)
        if (from.query.count(name) > 1)
            return failure{errc::invalid_request, fmt::format("the query parameter {} is there more than once", name)};
    for (const auto& [name, value] : from.query) {
        if (name == "token" || std::find(known.begin(), known.end(), name) != known.end()) continue;
        auto names = known.empty() ? std::string("none") : fmt::format("{}", fmt::join(known, ", "));
        return failure{errc::unknown_field, fmt::format("unknown query parameter {}; known here: {}", name, names)};
    }
    return {};
}

result<std::uint64_t> query_number(const http::request& from, const char* name, std::uint64_t otherwise,
                                   std::uint64_t least, std::uint64_t most) {
    auto text = from.find_query(name);
    if (!text) return otherwise;
    std::uint64_t value = 0;
    auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (ec != std::errc() || end != text->data() + text->size() || value < least || value > most)
        return failure{errc::invalid_request,
                       fmt::format("{} must be a whole number from {} to {}", name, least, most)};
    return value;
}

result<std::uint64_t> query_limit(const http::request& from) { return query_number(from, "limit", 100, 1, 1000); }

result<seq_page> query_page(const http::request& from) {
    auto after = query_number(from, "after", 0, 0, std::numeric_limits<std::uint64_t>::max());
    if (!after) return after.error();
    auto limit = query_limit(from);
    if (!limit) return limit.error();
    return seq_page{*after, *limit};
}

void add_agent_routes(http::router& routes, sessions::registry& registry, agent_options options) {
    auto with = std::make_shared<context>(context{registry, std::move(options)});
    if (!with->options.links)
        with->options.links = std::make_shared<files::links>(files::link_signer::make(), files::link_rules{});
    if (!with->options.session_keys)
        with->options.session_keys = std::make_shared<const http::session_keys>(random_hex(32));
    add_session_routes(routes, with);
    add_execute_route(routes, with);
    add_cell_routes(routes, with);
    add_command_routes(routes, with);
    add_notebook_route(routes, with);
    add_file_routes(routes, with);
    add_link_routes(routes, with);
    add_socket_route(routes, with);
    add_account_routes(routes, with);
    add_local_sandbox_route(routes, with);
    add_openapi_route(routes, with);
}

}  // namespace gateway::api::agent
