// COMPOSIO_MANAGE_CONNECTIONS and COMPOSIO_WAIT_FOR_CONNECTIONS. io thread.
#pragma once

#include "gateway/api/composio/calls.hpp"

namespace gateway::api::composio {

// How it stands with each toolkit; for one that can be connected and is not, a link, the same until it is used.
awaitable<tool_outcome> manage_connections(shared_call call);
// The same without new links, once none of them is waited for, or the time has passed.
awaitable<tool_outcome> wait_for_connections(shared_call call);

}  // namespace gateway::api::composio
