// Who calls a tool, and with which account. A value, copied into the call.
#pragma once

#include <string>
#include <utility>

#include "gateway/tools/meter.hpp"
#include "gateway/tools/tool_filter.hpp"

namespace gateway::tools {

struct tool_caller {
    // A session that says no more is nobody in particular.
    tool_caller(shared_meters of) : used(std::move(of)) {}
    tool_caller(shared_meters of, std::string user, std::string with)
        : used(std::move(of)), user_id(std::move(user)), account(std::move(with)) {}

    shared_meters used;               // the calling session's
    std::string user_id = "default";  // whose session it is
    std::string account;              // which connected account, by its id or alias; empty: not said
    tool_filter admits;               // which tools it may see and call
};

}  // namespace gateway::tools
