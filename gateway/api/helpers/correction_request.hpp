// The body of POST /v1/corrections. A value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/sessions/correction.hpp"

namespace gateway::api::helpers {

struct correction_request {
    std::string parent;  // msg_id of the cell's execute_request
    sessions::correction what;
};

// What `written` and `used` keep of a longer text.
inline constexpr std::size_t most_correction_text = 1'000;

// invalid_request, unknown_field or too_large, with what to change.
result<correction_request> parse_correction_request(std::string_view body);

}  // namespace gateway::api::helpers
