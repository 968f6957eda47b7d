// A session's network as the agent API shows it. Pure; io thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/sessions/session.hpp"

namespace gateway::api::agent {

// The policy that holds, as it can be set; {"mode": "host"} where the session is in the machine's network.
nlohmann::json network_object(const sessions::session& from);
// The same with what was carried and refused since the session was made or the gateway started.
std::string network_json(const sessions::session& from);

}  // namespace gateway::api::agent
