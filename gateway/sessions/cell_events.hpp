// What a session tells agents of its cells and its kernel: the params of notifications, without their seq, and the part
// of a cell's JSON that both they and the agent API show. docs/api.md has the shapes. Pure; io thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

// The cell without its texts: everything but code, stdout, stderr, result and displays.
nlohmann::json cell_summary(const cell& from);

std::string cell_queued_body(const cell& from);
std::string cell_started_body(const cell& from);
std::string cell_finished_body(const cell& from);
std::string correction_body(const cell& of, const correction& from);
std::string kernel_status_body(const std::string& state, const std::string& reason);

}  // namespace gateway::sessions
