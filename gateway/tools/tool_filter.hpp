// Which of the gateway's tools a session may see and call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace gateway::tools {

struct tool_description;
class toolbox;

using tool_filter = std::function<bool(const tool_description&)>;  // empty: all of them

// Those that are let in, in their order.
std::vector<tool_description> admitted(std::vector<tool_description> all, const tool_filter& filter);
// invalid_request when there is such a tool and it is not let in. The two services of published helpers are
// everybody's.
awaitable<result<void>> check_admitted(toolbox& of, std::string slug, tool_filter filter);

}  // namespace gateway::tools
