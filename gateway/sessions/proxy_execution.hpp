// Whether a session's `sandbox` object lets what runs in or beside the sandbox call services with connected accounts.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>

namespace gateway::sessions {

// Its enable_proxy_execution; none where the object does not say. What is neither true nor false, as objects that were
// kept before read_sandbox() refused such may have it, is no permission.
std::optional<bool> proxy_execution_of(const std::string& sandbox);

}  // namespace gateway::sessions
