#include "gateway/sessions/json_reading.hpp"

#include <nlohmann/json.hpp>

namespace gateway::sessions {

using nlohmann::json;

json parse_object(const std::string& text) {
    auto parsed = json::parse(text, nullptr, false);
    return parsed.is_object() ? parsed : json::object();
}

std::string text_of(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace gateway::sessions
