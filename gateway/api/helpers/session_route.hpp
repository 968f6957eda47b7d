// GET /v1/session -> the calling session: {"id", "name", "user_id", "state", "kernel", "created_at", "last_activity",
// "cell_timeout_s", "idle_timeout_s", "lifetime_s", "restarts", "connections", "tokens", "searches"}.
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::helpers {

// `registry` outlives the endpoint.
void add_session_route(endpoint& to, sessions::registry& registry);

}  // namespace gateway::api::helpers
