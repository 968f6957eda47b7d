// The request target: path, query, percent-encoding, base_url. RFC 9112 section 3.2, RFC 3986. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::http {

struct target {
    std::string authority;                          // only of the absolute form ("GET http://host/path")
    std::string path;                               // still percent-encoded, begins with "/"
    std::multimap<std::string, std::string> query;  // decoded
};

result<target> parse_target(std::string_view text);
// invalid_request for a bad %XX, and for bytes that are not UTF-8.
result<std::string> percent_decode(std::string_view text, bool plus_is_space = false);
// A whole path; also refuses the segments "." and "..".
result<std::string> decode_path(std::string_view encoded);
bool has_control_character(std::string_view text);
result<std::multimap<std::string, std::string>> parse_query(std::string_view text);

// "/Gw/" to "/gw"; "/" and "" to "".
std::string normalize_base_url(std::string_view base_url);
// `path` without the prefix (jupyter_server lower-cases its whole WebSocket URL, so case is ignored); nullopt when it
// lies outside; empty for the bare prefix.
std::optional<std::string_view> strip_base_url(std::string_view path, std::string_view normalized);

}  // namespace gateway::http
