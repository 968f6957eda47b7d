// What an HTTP status means when it answers an MCP message. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::tools {

// Whether an error means that the session, which the message named, has expired. `body` is the beginning of its body.
bool is_session_gone(int status, std::string_view body);
// For any other error: what the operator or the caller can do.
failure refusal(int status, const std::string& toolkit, std::string_view body);
// The beginning of a body on one line, fit for an error message.
std::string excerpt(std::string_view body);

}  // namespace gateway::tools
