// Commands of a session, as tools run them: COMPOSIO_REMOTE_BASH_TOOL, and `bash` of the gateway's own. io thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/api/composio/tool_call.hpp"
#include "gateway/api/composio/workbench.hpp"
#include "gateway/base/async.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::api::composio {

// Until the command has ended; a session without a kernel gets one first. `begun` is told the command's id. Any
// failure: there is no command, or no end of it.
awaitable<result<sessions::shared_command>> run_command(shared_session in, sessions::command_options what,
                                                        std::function<void(const std::string&)> begun);
// Empty when it ran to its end, whatever its exit code.
std::string why_stopped(const sessions::command& what);

// `arguments` were checked.
awaitable<tool_outcome> run_bash(shared_session in, tools::shared_json arguments,
                                 std::function<void(const std::string&)> begun);

}  // namespace gateway::api::composio
