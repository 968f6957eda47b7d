// What a client changes of a session that there is. A value; pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "gateway/sessions/session.hpp"

namespace gateway::sessions {

// A member that is there is changed; one that then holds nothing is as if it had never been set.
struct session_change {
    std::optional<std::optional<std::string>> name;
    std::optional<std::optional<milliseconds>> cell_timeout;
    std::optional<std::optional<milliseconds>> idle_timeout;
    std::optional<std::optional<milliseconds>> lifetime;
    std::optional<std::optional<correction_mode>> error_correction;
    std::optional<std::optional<bool>> install;
    std::optional<std::optional<egress::policy>> network;
    std::string sandbox;  // a JSON object of the keys to change, null: to take away; empty: as it is
    bool forget_sandbox = false;
};

// invalid_request when the sandbox would be what none can be.
result<session_options> changed(session_options from, const session_change& by, const std::string& session_id);

}  // namespace gateway::sessions
