// POST /v1/tools/execute {tool_slug, arguments, account?}: a tool call from a cell. Every answer, a refusal too, is
// {"data", "error", "log_id"} (docs/tools.md).
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::helpers {

// Who the session is for a tool.
using caller_finder = std::function<tools::tool_caller(const std::string& session)>;

// `tools` and `pool`, which takes large bodies apart, outlive the endpoint.
void add_execute_route(endpoint& to, tools::toolbox& tools, asio::thread_pool& pool, caller_finder find_caller);

// Tools by which an agent drives a session are refused inside of one, COMPOSIO_REMOTE_WORKBENCH and the like; the two
// that published helpers call for a model and a search are not. invalid_request.
result<void> check_callable(const std::string& slug);

}  // namespace gateway::api::helpers
