// What an agent may call over its socket of commands. io thread.
#pragma once

#include "gateway/api/agent/methods.hpp"

namespace gateway::api::agent {

awaitable<method_outcome> call_bash(agent_socket& socket, request_object& params);
awaitable<method_outcome> call_stdin(agent_socket& socket, request_object& params);
awaitable<method_outcome> call_signal(agent_socket& socket, request_object& params);

}  // namespace gateway::api::agent
