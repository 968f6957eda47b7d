// A call of an account's service, as the clients of this gateway send it: the body of proxy_execute. A value; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/outbound/headers.hpp"

namespace gateway::accounts {

struct proxy_request {
    std::string toolkit;
    std::string account;         // an id or an alias; empty: not said
    std::string endpoint;        // relative to the base URL, or a URL
    std::string method = "GET";  // GET, HEAD, POST, PUT, PATCH or DELETE
    outbound::headers headers;
    std::vector<std::pair<std::string, std::string>> query;
    std::string body;
    std::string content_type;  // of the body; empty: there is none

    bool operator==(const proxy_request&) const = default;
};

// {"toolkit_slug", "endpoint", "method", "parameters"?: [{"name", "type": "query"|"header", "value"}], "body"?,
// "binary_body"?: {"base64", "content_type"}, "account"?}. A body that is a string is sent as text, anything else as
// JSON, as it was written. invalid_request or unknown_field, with what to change.
result<proxy_request> parse_proxy_request(std::string_view body);

}  // namespace gateway::accounts
