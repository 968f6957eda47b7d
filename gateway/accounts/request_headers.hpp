// Headers that a caller of an account may not set. Pure; any thread.
#pragma once

#include <string_view>

namespace gateway::accounts {

// In any case. What names the server, frames the message or belongs to one connection, and Authorization.
// Accept-Encoding too: an answer is wanted as it is, so that nothing has to be unpacked here.
bool is_reserved_header(std::string_view name);

}  // namespace gateway::accounts
