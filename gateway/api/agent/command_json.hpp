// A command as the agent API shows it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gateway/sessions/command.hpp"

namespace gateway::api::agent {

nlohmann::json command_object(const sessions::command& from);

}  // namespace gateway::api::agent
