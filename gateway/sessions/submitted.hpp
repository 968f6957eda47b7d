// What has begun, and where in the log. A value.
#pragma once

#include <cstdint>
#include <string>

namespace gateway::sessions {

struct submitted {
    std::string cell_id;    // of a command too: "cmd_…"
    std::uint64_t seq = 0;  // of its cell_queued or command_started
};

}  // namespace gateway::sessions
