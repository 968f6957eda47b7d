// The body of POST /v1/llm and of POST /v1/search. A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::api::helpers {

struct query_request {
    std::string query;
    std::string reasoning_effort;  // of /v1/llm; empty: not said

    bool operator==(const query_request&) const = default;
};

// invalid_request or unknown_field, with what to change. reasoning_effort is only known `with_effort`.
result<query_request> parse_query_request(std::string_view body, bool with_effort);

}  // namespace gateway::api::helpers
