// Headers that a caller of an account may not set. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway::accounts {

// In lower case, and with hyphens for underscores: CGI (RFC 3875, section 4.1.18) makes one variable of both.
std::string plain_header_name(std::string_view name);

// In any such spelling. What names the server, frames the message or belongs to one connection, and Authorization.
// Accept-Encoding too: an answer is wanted as it is, so that nothing has to be unpacked here; Range
// and If-Range, since of an answer in small pieces none holds the whole secret.
bool is_reserved_header(std::string_view name);

}  // namespace gateway::accounts
