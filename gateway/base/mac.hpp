// A message authentication code. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// HMAC-SHA256 of the text, 64 lower-case hex digits.
std::string mac_of(std::string_view key, std::string_view text);

}  // namespace gateway
