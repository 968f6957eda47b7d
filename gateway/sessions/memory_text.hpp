// What is told of a kernel that used more memory than its sandbox has. Pure; any thread.
#pragma once

#include <string>

#include "gateway/sessions/sandbox.hpp"

namespace gateway::sessions {

// How much that was, which setting says so, and how the session gets more.
std::string memory_text(const sandbox_sizes& all, const sandbox_size& of, const std::string& session_id);

}  // namespace gateway::sessions
