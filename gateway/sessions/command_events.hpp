// What a session tells agents of its commands: the params of notifications, without their seq, and the part of a
// command's JSON that both they and the agent API show. docs/api.md has the shapes. Pure; io thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gateway/sessions/command.hpp"

namespace gateway::sessions {

// "SIGTERM", or "SIG34" where the number has no name; and back, also without SIG and in any case: 0 when unknown.
std::string signal_name(int number);
int signal_number(std::string_view name);

// The command without its texts.
nlohmann::json command_summary(const command& from);

std::string command_started_body(const command& from);
std::string command_output_body(const command& from, command_stream which, std::string_view text);
std::string command_finished_body(const command& from);

}  // namespace gateway::sessions
