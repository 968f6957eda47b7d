// Reading JSON that a kernel or a client wrote: what is not there, or not as specified, is empty. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gateway::sessions {

// An empty object when `text` is no JSON object, or nested beyond reason. Ill-formed UTF-8 and escapes that are half a
// character become U+FFFD: they are no reason to lose what is around them.
nlohmann::json parse_object(const std::string& text);
// "" when there is no text of that name.
std::string text_of(const nlohmann::json& object, const char* name);
// An empty object when there is no object of that name.
nlohmann::json object_of(const nlohmann::json& object, const char* name);
// Whether it is there and true.
bool is_true(const nlohmann::json& object, const char* name);

}  // namespace gateway::sessions
