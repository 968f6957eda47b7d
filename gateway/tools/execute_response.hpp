// The answer of a tool call, as helpers read it (docs/tools.md). Pure; any thread.
#pragma once

#include <string>

namespace gateway::tools {

// {"data": DATA, "error": null, "log_id"}; with an `error`, what the tool said of its failure. `data` is JSON.
std::string execute_response(const std::string& data, const std::string& error = {});

}  // namespace gateway::tools
