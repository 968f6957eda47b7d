// An answer's status line and headers as bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/http/cors.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

struct framing {
    std::optional<std::uint64_t> content_length;  // absent: chunked, or until the connection ends
    bool chunked = false;
    bool keep_alive = true;
    bool is_http_1_0 = false;
};

// `more` goes after the answer's own headers; a name that the answer has itself is left out of `more`. A header with a
// line break or another control character in it is dropped: nobody's value may become a second header.
std::string write_head(const response& from, const framing& how, const std::string& request_id,
                       const header_list& more);
// Whether a status has a body at all (RFC 9110 section 6.4.1).
bool has_body(int status);

}  // namespace gateway::http
