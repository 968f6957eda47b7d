// Commands and replies of protocol.hpp as JSON texts. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/launcher/protocol.hpp"

namespace kernel {

std::string encode(const command& what);
std::string encode(const reply& what);
// Nothing when the text is not one: a wrong type, a missing field.
std::optional<command> decode_command(std::string_view text);
std::optional<reply> decode_reply(std::string_view text);

}  // namespace kernel
