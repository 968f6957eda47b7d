// What speaks against a request for its headers, read by name: what Beast lets through although two readers could find
// another end of the body, or another host, in it. Pure; any thread.
#pragma once

#include "gateway/base/result.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

// invalid_request, with what is wrong.
result<void> check_headers(const header_map& headers, bool is_http_1_0);

}  // namespace gateway::http
