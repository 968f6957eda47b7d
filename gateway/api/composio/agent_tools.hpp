// The gateway's own tools for MCP clients: sessions, code, and files. Owned by the service's context; io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/mcp_endpoint.hpp"
#include "gateway/http/principal.hpp"

namespace gateway::api::composio {

// Those that a key of this scope may call.
std::vector<listed_tool> agent_tools(const http::principal& caller);

// Checks the call and starts it. not_found, forbidden, session_not_found, invalid_request; unknown_field.
result<started_call> begin_agent_tool(context& with, const http::principal& caller, const std::string& name,
                                      const tools::shared_json& arguments);

}  // namespace gateway::api::composio
