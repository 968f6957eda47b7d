// Base64 (RFC 4648) to bytes. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway::api::composio {

// With its padding, and nothing else: no line breaks.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace gateway::api::composio
