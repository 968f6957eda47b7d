// What the routes of the tool router share. Kept alive by the routes; io thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "gateway/accounts/pending_links.hpp"
#include "gateway/api/composio/configuration_store.hpp"
#include "gateway/api/composio/mcp_call.hpp"
#include "gateway/api/composio/routes.hpp"
#include "gateway/api/composio/run_table.hpp"
#include "gateway/api/composio/workbench.hpp"

namespace gateway::api::composio {

struct context {
    context(executor ex, sessions::registry& registry, tools::toolbox& tools, service_options options);

    sessions::registry& registry;
    tools::toolbox& tools;
    service_options options;
    workbench_options cells;
    std::unique_ptr<configuration_store> configurations;
    run_table runs;
    mcp_calls mcp;
    std::unique_ptr<accounts::pending_links> account_links;  // null without accounts
    seen_restarts seen;
    std::set<std::string> changing;  // sessions whose sandbox a PATCH is changing
};

using endpoint = awaitable<http::response> (*)(context&, http::request&);

// Under both prefixes of the API; `path` is what follows them, "" or "/{}/…". What needs no more than the scope
// execute may be called with the session's own key.
void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const std::string& path,
               http::scope needed, endpoint what);

// One function a family, each in its own file.
void add_session_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_connection_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_connect_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_tool_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_execute_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_proxy_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_mcp_route(http::router& routes, const std::shared_ptr<context>& with);
void add_agent_mcp_route(http::router& routes, const std::shared_ptr<context>& with);
void add_mount_routes(http::router& routes, const std::shared_ptr<context>& with);

http::response refuse(const failure& why, const http::request& from);

struct found_session {
    shared_session session;
    std::shared_ptr<const configuration_version> version;  // never null
    std::string page_url = {};  // where links to connect accounts lead; empty when the request named no host

    const configuration& settings() const { return version->what; }
};
// The session that the route's first parameter names. One that was made elsewhere has the default configuration; the
// workbench is as the session's sandbox is (with_sandbox).
// session_not_found for another user's as for one that never was.
result<found_session> find_session(context& with, const http::request& from);
// Forgets what is kept for sessions that have ended.
void forget_ended(context& with);

// Starts a checked call of the session; runs on when its client leaves. `key`: see run_table::begin.
shared_watch begin_call(context& with, const found_session& of, tool_call what, const std::string& key, bool is_retry);

// "https://host/": scheme and host as the client wrote them, with the base URL.
std::string origin_of(const http::request& from, const std::string& base_url);

// A page of `all`: what `cursor` and `limit` of the query say. The cursor is the place of the first.
struct page {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t limit = 0;
    std::size_t total = 0;
};
// Of the query: invalid_request unless it is from 1 to a whole number; over `most` it is that.
result<std::size_t> read_limit(const http::request& from, std::size_t usual, std::size_t most);
result<page> read_page(const http::request& from, std::size_t total, std::size_t usual, std::size_t most);
// items, total_pages, current_page, total_items, and next_cursor: null on the last page.
std::string page_answer(const page& of, nlohmann::json items);

}  // namespace gateway::api::composio
