// An http or https URL, taken apart once. A value; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::outbound {

struct url {
    bool tls = false;
    std::string host;  // a name or an address, without brackets
    std::uint16_t port = 0;
    std::string target;  // path and query as they go into the request line, begins with "/"

    std::string host_header() const;  // with brackets, and with the port when it is not the scheme's own
    std::string origin() const;       // "https://host:port": what may be shown, without path, query and user

    bool operator==(const url&) const = default;
};

// invalid_request when it is not an absolute http(s) URL with a host. A user part is refused: credentials are headers.
result<url> parse_url(std::string_view text);
// Of a base that paths are put behind: without slashes at its end.
std::string without_slash(std::string base);

}  // namespace gateway::outbound
