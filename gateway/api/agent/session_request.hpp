// The body of POST /api/v1/sessions. Pure.
#pragma once

#include <string>

#include "gateway/base/result.hpp"
#include "gateway/http/principal.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::api::agent {

// forbidden when it names another user and the caller is no admin.
result<sessions::session_options> parse_session_request(const std::string& body, const http::principal& caller);

}  // namespace gateway::api::agent
