// What an HTTP status means when it answers an MCP message. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::tools {

enum class http_meaning : std::uint8_t { answered, accepted, session_gone, refused };

// `has_session`: the message carried a session id. `body` is the beginning of an error's body.
http_meaning meaning_of(int status, bool has_session, std::string_view body);
// For `refused`: what the operator or the caller can do.
failure refusal(int status, const std::string& toolkit, std::string_view body);

}  // namespace gateway::tools
