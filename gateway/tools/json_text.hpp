// JSON from outside: parsed only when it is not nested so deeply that writing it out again, which recurses, could
// overflow the stack. Pure; any thread.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gateway::tools {

// nlohmann's writer and comparison use about 200 bytes of stack a level.
inline constexpr std::size_t max_json_depth = 500;

using shared_json = std::shared_ptr<const nlohmann::json>;

bool is_too_deep(std::string_view text);
// Null when it is not JSON, or too deep.
shared_json parse_json(std::string_view text);
// On one line; bytes that are not UTF-8 become U+FFFD.
std::string to_text(const nlohmann::json& value);
// The string member `name` of an object; empty when there is none.
std::string text_member(const nlohmann::json& object, const char* name);

}  // namespace gateway::tools
