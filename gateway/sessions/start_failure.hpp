// What is told of a kernel that is dead, with the cause when it did not start. `cause` is the session's failure text:
// its last lines, which have the reason in a traceback, are enough here. Pure; any thread.
#pragma once

#include <string>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

inline constexpr std::size_t most_cause_bytes = 2'000;

// The error of a cell that never ran because its kernel did not start.
cell_error start_failure(const std::string& cause);
// For session_dead.
std::string dead_session_message(const std::string& session_id, cell_reason reason, const std::string& cause);

}  // namespace gateway::sessions
