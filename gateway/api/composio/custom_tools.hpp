// Tools that run in the client's own program: a session gives them the slugs by which its model calls them. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gateway/base/result.hpp"

namespace gateway::api::composio {

// {"custom_tools"?, "custom_toolkits"?} with slugs, of the `experimental` of a request; an empty object when it has
// none. invalid_request.
result<nlohmann::json> named_custom_tools(const nlohmann::json& experimental);

}  // namespace gateway::api::composio
