// JSON strings to and from text. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "messaging/json_scanner.hpp"

namespace messaging {

// `literal` is a whole string value as the scanner gave it, quotes included. The result is always valid UTF-8.
std::string unquote(std::string_view literal);
// A string literal with its quotes; ill-formed UTF-8 becomes U+FFFD.
std::string quote(std::string_view text);
void append_quoted(std::string& to, std::string_view text);
// Where the next \uXXXX that is half a character stands, at or behind `from` (which is inside no escape); npos when
// there is none. JSON lets them pass, Python and JavaScript write them, and no UTF-8 text can hold them.
std::size_t find_lone_surrogate(std::string_view json, std::size_t from = 0);
bool is_string(std::string_view value);
bool is_object(std::string_view value);
// The member's key as text: its own bytes, or unescaped into `storage` in the rare case that it needs it.
std::string_view key_of(const json_member& member, std::string& storage);

}  // namespace messaging
