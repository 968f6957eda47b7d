// The Streamable HTTP transport of MCP for any set of tools, without a stream of the server's own: revision 2026-07-28,
// whose requests stand alone, and those before it, which begin with initialize. io thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/mcp_call.hpp"
#include "gateway/http/router.hpp"

namespace gateway::api::composio {

struct context;

// A call that was started: its session is null when it has none (yet).
struct started_call {
    shared_session session;
    shared_watch watch;
};

struct tool_server {
    std::string title;
    std::string instructions;
    std::string whose;                          // tells requests of one caller from another's
    result_form form = result_form::enveloped;  // of its tools' results
    std::function<awaitable<std::vector<listed_tool>>()> list;
    // not_found: there is no such tool; any other failure is for the model to read.
    std::function<result<started_call>(const std::string& name, tools::shared_json arguments)> begin;
};

awaitable<http::response> serve_mcp(context& with, http::request& from, tool_server what);

// `serve` calls serve_mcp() with the tools of the request.
void add_mcp_endpoint(http::router& routes, const std::shared_ptr<context>& with, const char* pattern,
                      awaitable<http::response> (*serve)(context&, http::request&));

}  // namespace gateway::api::composio
