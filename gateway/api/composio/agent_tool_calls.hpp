// What the gateway's own tools do once their arguments are known to be good. io thread.
#pragma once

#include <memory>
#include <string>

#include "gateway/api/composio/context.hpp"
#include "gateway/http/principal.hpp"

namespace gateway::api::composio {

// A checked call. The context outlives it: the service ends calls before itself.
struct agent_call {
    context& with;
    http::principal caller;
    shared_session session;  // null for tools that need none
    tools::shared_json arguments;
    std::shared_ptr<run> which;
};
using shared_agent_call = std::shared_ptr<agent_call>;
using agent_action = awaitable<tool_outcome> (*)(shared_agent_call);

awaitable<tool_outcome> create_session(shared_agent_call call);
awaitable<tool_outcome> list_sessions(shared_agent_call call);
awaitable<tool_outcome> end_session(shared_agent_call call);
awaitable<tool_outcome> execute_code(shared_agent_call call);
awaitable<tool_outcome> run_shell_command(shared_agent_call call);
awaitable<tool_outcome> list_session_files(shared_agent_call call);
awaitable<tool_outcome> read_session_file(shared_agent_call call);
awaitable<tool_outcome> write_session_file(shared_agent_call call);

}  // namespace gateway::api::composio
