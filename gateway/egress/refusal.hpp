// What the proxy itself answers. The reason phrase says why too, since pip and others show nothing else of an answer to
// CONNECT. Pure; any thread.
#pragma once

#include <string>

#include "gateway/base/result.hpp"
#include "gateway/egress/denial.hpp"
#include "gateway/egress/destination.hpp"

namespace gateway::egress {

// A whole answer with Connection: close; the body is {"error": {"code", "message", "request_id"}}.
std::string refusal(int status, const failure& why);
// 403; its code is that of the denial.
std::string refusal(denial why, const destination& to);

// TLS's fatal alert access_denied: what a client is told that has begun TLS.
extern const std::string access_denied_alert;

}  // namespace gateway::egress
