// GET /v1/tools[?query=WORDS] -> {"tools": [{"slug", "toolkit", "description", "input_schema"}], "left_out"}: what a
// cell of the session can call. With words, the tools in which all of them occur.
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/api/helpers/execute_route.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::helpers {

// `tools` outlives the endpoint.
void add_tools_route(endpoint& to, tools::toolbox& tools, caller_finder find_caller);

// The tools in which each word of `query` occurs, in any case; those with one in their slug first.
std::vector<tools::tool_description> matching(std::vector<tools::tool_description> all, const std::string& query);

}  // namespace gateway::api::helpers
