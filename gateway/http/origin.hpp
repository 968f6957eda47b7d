// The Origin header against the Host header. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/http/host_check.hpp"

namespace gateway::http {

struct origin {
    std::string scheme;  // lower case
    host_and_port where;
};

// "https://host:port"; nullopt for "null" and anything else.
std::optional<origin> parse_origin(std::string_view header);
// Whether a page from `from` is on the host and port that the request was sent to. The scheme is not compared: behind a
// proxy that ends TLS ours is always http. A port that is the scheme's default counts as none.
bool is_same_origin(const origin& from, const host_and_port& host);

}  // namespace gateway::http
