// A call of a helper in a kernel, as the routes of the helper socket get it. A value for one request; io thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"
#include "gateway/http/request.hpp"
#include "gateway/tools/meter.hpp"

namespace gateway::api::helpers {

// The session's key was good. `from` outlives the handler's awaitable.
struct helper_call {
    std::string session;  // its id
    http::request& from;
    std::string log_id;  // "log_…": what the gateway logs about the call is under this
};

// Cancelled when the caller goes away: an interrupted cell's call.
using helper_handler = std::function<awaitable<http::response>(helper_call)>;

// What the session has used; never null.
using meter_finder = std::function<tools::shared_meters(const std::string& session)>;

// unknown_field when the URL has any other parameter than this one (or, without a name, any).
result<void> check_parameters(const helper_call& call, const std::string& known = "");

// {"error": {"code", "message", "status", "request_id"}}, as all other refusals of the socket. `status` replaces the
// code's own where HTTP has a narrower one. Says when to come back (Retry-After) where the failure does.
http::response refuse(const helper_call& call, const failure& why, int status = 0);
http::response refuse(const http::request& from, const failure& why, int status = 0);
// The same, logged as what the session did: "asked the model".
http::response refuse_logged(const helper_call& call, const failure& why, std::string_view deed);
void add_retry_after(http::response& to, const failure& why);

}  // namespace gateway::api::helpers
