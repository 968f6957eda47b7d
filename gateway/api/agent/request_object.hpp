// A request's JSON object, taken apart by a scan of its text: no document is built of anything that may be large. Only
// `code` may be; what is beside it is limited as a whole here, and field by field in fields.hpp. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::api::agent {

// Of a whole object, its `code` not counted.
inline constexpr std::size_t most_request_bytes = 1u << 20;

struct request_object {
    std::map<std::string, std::string> members;  // name to JSON text; of a repeated name the last counts
    std::optional<std::string> code;             // the text of a `code` that is a string; it is not among the members
};

enum class request_form {
    plain,      // most_request_bytes at all
    with_code,  // as large as a body or frame may be
};

// An empty text is an empty object. `what` names the text in errors: "the body". too_large, invalid_request.
result<request_object> read_request(std::string_view text, request_form form, const char* what = "the body");

// Why `text` is no JSON; `at`: where the scan of it ended. Empty when a small one is good.
std::string problem_of(std::string_view text, std::size_t at);

// A name or value from outside, for an error's text: at most 100 bytes of it.
std::string shown(std::string_view text);

}  // namespace gateway::api::agent
