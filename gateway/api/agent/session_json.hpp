// A session as the agent API shows it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/sessions/session.hpp"

namespace gateway::api::agent {

nlohmann::json session_object(const sessions::session& from);
std::string session_json(const sessions::session& from);
// The session with first_seq, last_seq and pending_input: the answer of status{}.
std::string status_json(sessions::session& from);
// {cell_id, prompt, password} of the input() that waits, or null.
nlohmann::json pending_input_object(const sessions::session& from);

}  // namespace gateway::api::agent
