// RFC 4648's base64 with padding. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

std::string to_base64(std::string_view bytes);
// Nothing when it is anything else: line breaks are not skipped, and a text of 2 GiB is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gateway
