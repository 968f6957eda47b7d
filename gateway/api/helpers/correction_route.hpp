// POST /v1/corrections {parent, line, column, written, used, kind}: what error correction did in a cell. When the
// answer
// ({}) goes out, it is in the session's log and in the cell (docs/tools.md).
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::helpers {

// `all` outlives the endpoint.
void add_correction_route(endpoint& to, sessions::registry& all);

}  // namespace gateway::api::helpers
