// One HTTP request and its answer, free of Beast. Values; io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"
#include "gateway/http/principal.hpp"

namespace gateway::http {

struct less_ignoring_case {
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const;
};
using header_map = std::multimap<std::string, std::string, less_ignoring_case>;

// The next piece of a request's body, some 256 KiB but for the last; nullopt ends it. Read only as fast as it is
// called; the first call invites the body of a client that waits for that (Expect: 100-continue). timeout: the client
// fell silent; peer_gone; invalid_request; unauthorized: its key was revoked meanwhile.
using body_reader = std::function<awaitable<result<std::optional<std::string>>>()>;

struct request {
    std::string id;                                 // "req_…", also in the answer's x-request-id
    std::string method;                             // upper case
    std::string path;                               // percent-decoded, without base_url, begins with "/"
    std::vector<std::string> parameters;            // the pattern's {…}, decoded, in order
    std::multimap<std::string, std::string> query;  // decoded
    header_map headers;
    std::string body;         // all of it, except on routes with streams_body
    body_reader body_pieces;  // on those; good until the handler ends, which may leave the rest unread
    std::optional<std::uint64_t> announced_bytes;  // the Content-Length
    std::string remote;                            // the peer's address, or X-Forwarded-For's when trust_xheaders
    bool secure = false;
    principal caller;  // who the credentials name; anonymous on routes that need none

    std::string header(std::string_view name) const;                       // empty when absent
    std::optional<std::string> find_query(const std::string& name) const;  // the first
};

// The next piece of a streamed body; nullopt ends it. It is cancelled when the client goes away (also when it closes
// only its own direction), and when its key is revoked.
using body_source = std::function<awaitable<std::optional<std::string>>()>;

struct response {
    int status = 200;
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers;
    std::variant<std::string, body_source> body;
    // How long a source's body is, when that is known: it is sent without chunks, and a source that ends before is an
    // error that the client sees. For HEAD also with an empty text.
    std::optional<std::uint64_t> content_length = {};
};

// What to answer instead of handling the request, judged from its head alone; nullopt: go on.
using admit = std::function<std::optional<response>(const request&)>;

// Runs to its end also when the client leaves meanwhile: what was asked for is done. Cancelled only when the server
// stops.
using handler = std::function<awaitable<response>(request&)>;

}  // namespace gateway::http
