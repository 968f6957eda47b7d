// The body of POST /api/v1/sessions. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "gateway/base/result.hpp"
#include "gateway/http/principal.hpp"
#include "gateway/sessions/session_change.hpp"

namespace gateway::api::agent {

// forbidden when it names another user and the caller is no admin. `max_network_rules`: of its network policy.
result<sessions::session_options> parse_session_request(const std::string& body, const http::principal& caller,
                                                        std::size_t max_network_rules);

// The body of PATCH /api/v1/sessions/{session}. Pure.
result<sessions::session_change> parse_session_change(const std::string& body, std::size_t max_network_rules);

}  // namespace gateway::api::agent
