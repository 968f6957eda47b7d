// What a trusted proxy in front says about the client. Pure; any thread.
#pragma once

#include "gateway/http/request.hpp"

namespace gateway::http {

// X-Forwarded-For (its last address: the one our own proxy saw) or X-Real-Ip to remote; X-Scheme or X-Forwarded-Proto
// to secure; X-Forwarded-Host to the Host header.
void apply_forwarded(request& to);

}  // namespace gateway::http
