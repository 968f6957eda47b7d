// The body of POST /v1/tools/execute. A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::api::helpers {

struct execute_request {
    std::string tool_slug;
    std::string arguments = "{}";  // a JSON object
    std::string account;           // empty: not said

    bool operator==(const execute_request&) const = default;
};

// invalid_request or unknown_field, with what to change.
result<execute_request> parse_execute_request(std::string_view body);

// {"data":{},"error":TEXT,"log_id":ID}
std::string failure_body(const std::string& text, const std::string& log_id);

}  // namespace gateway::api::helpers
