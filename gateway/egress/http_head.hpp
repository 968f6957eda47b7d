// Heads of HTTP/1 messages, read strictly (RFC 9112): what two readers could take in two ways is refused. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/outbound/headers.hpp"

namespace gateway::egress {

struct request_head {
    std::string method;
    std::string target;
    int minor_version = 1;  // of HTTP/1
    outbound::headers fields;
};

struct answer_head {
    int status = 0;
    std::string reason;
    int minor_version = 1;
    outbound::headers fields;
};

// How a body ends.
struct body_length {
    enum class kind : std::uint8_t { fixed, chunked, until_close };
    kind how = kind::fixed;
    std::uint64_t bytes = 0;  // of fixed; 0: there is none

    bool operator==(const body_length&) const = default;
};

// `text` is a whole head with the empty line that ends it. invalid_request: lines that do not end with CR LF, folded
// lines, blanks before a colon, control characters, anything but HTTP/1.0 and 1.1.
result<request_head> parse_request_head(std::string_view text);
result<answer_head> parse_answer_head(std::string_view text);

// invalid_request: Content-Length together with Transfer-Encoding, either twice, a list, another coding than chunked,
// Transfer-Encoding in HTTP/1.0.
result<body_length> body_of(const request_head& what);
// Of an answer to `method`.
result<body_length> body_of(const answer_head& what, std::string_view method);

// The value of a field that may be there once; invalid_request when it is there more often.
result<std::optional<std::string>> single_field(const outbound::headers& fields, std::string_view name);
// Without what is between two neighbours only: Connection and what it names, Proxy-…, Keep-Alive, TE, Trailer, Upgrade;
// and without Host, Content-Length and Transfer-Encoding, which are written anew.
outbound::headers end_to_end_fields(const outbound::headers& fields);

}  // namespace gateway::egress
