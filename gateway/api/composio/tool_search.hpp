// Which tools fit a task: words against slugs, names and descriptions. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/connections.hpp"

namespace gateway::api::composio {

// The best first, at most `most`; none that shares no word with `text`. A word in a slug counts for more.
std::vector<const tool_description*> rank_tools(const std::vector<tool_description>& all, const std::string& text,
                                                std::size_t most);

// What COMPOSIO_SEARCH_TOOLS and POST …/search answer. `arguments` has queries, and toolkits to look in, or none.
nlohmann::json search_answer(const std::vector<tool_description>& all, const nlohmann::json& arguments,
                             const configuration& with, const connections& connected);
// COMPOSIO_GET_TOOL_SCHEMAS
nlohmann::json schemas_answer(const std::vector<tool_description>& all, const nlohmann::json& arguments);

}  // namespace gateway::api::composio
