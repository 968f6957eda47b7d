// What the agent routes share, and the small verbs that all of them use. Kept alive by the routes; io thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/agent/routes.hpp"
#include "mounts/file_path.hpp"

namespace gateway::api::agent {

struct context {
    sessions::registry& registry;
    agent_options options;
};

using shared_session = std::shared_ptr<sessions::session>;
using endpoint = awaitable<http::response> (*)(context&, http::request&);

// As http::route has them.
struct route_traits {
    bool any_name = false;
    bool streams_body = false;
    bool takes_session_key = false;
};

// Adds a route whose handler keeps `with` alive.
void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const char* pattern,
               http::scope needed, endpoint what, route_traits traits = {});

// One function a family, each in its own file.
void add_session_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_cell_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_command_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_execute_route(http::router& routes, const std::shared_ptr<context>& with);
void add_notebook_route(http::router& routes, const std::shared_ptr<context>& with);
void add_socket_route(http::router& routes, const std::shared_ptr<context>& with);
void add_file_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_link_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_account_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_local_sandbox_route(http::router& routes, const std::shared_ptr<context>& with);
void add_openapi_route(http::router& routes, const std::shared_ptr<context>& with);

http::response refuse(const failure& why, const http::request& from);

// The session that the route's first parameter names, by id or by name (of the caller's own sessions; an admin says
// whose with ?user_id=). session_not_found for another user's as for one that never was.
result<shared_session> find_session(context& with, const http::request& from);
// The same for a request whose body has no fields.
result<shared_session> find_for_action(context& with, const http::request& from);

// The second parameter, as a path in the session's mount.
result<mounts::file_path> find_path(const http::request& from);

// Query keys other than `known` (and token, a credential), and repeated ones, are refused by name.
result<void> check_query(const http::request& from, const std::vector<std::string_view>& known);
// A whole number in [least, most]; `otherwise` when it is absent.
result<std::uint64_t> query_number(const http::request& from, const char* name, std::uint64_t otherwise,
                                   std::uint64_t least, std::uint64_t most);
// How many a page of a list has: `limit`, 1 to 1000, 100 when it is absent.
result<std::uint64_t> query_limit(const http::request& from);
// A page of what has a seq: `after` and `limit`.
struct seq_page {
    std::uint64_t after = 0;
    std::uint64_t limit = 0;
};
result<seq_page> query_page(const http::request& from);

}  // namespace gateway::api::agent
