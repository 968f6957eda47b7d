#include "gateway/tools/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gateway::tools {

bool is_too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char letter = text[at];
        if (in_string) {
            if (letter == '\\') ++at;
            if (letter == '"') in_string = false;
        } else if (letter == '"') {
            in_string = true;
        } else if (letter == '[' || letter == '{') {
            if (++depth > max_json_depth) return true;
        } else if ((letter == ']' || letter == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

shared_json parse_json(std::string_view text) {
    if (is_too_deep(text)) return nullptr;
    auto parsed = nlohmann::json::parse(text, nullptr, false);
    if (parsed.is_discarded()) return nullptr;
    return std::make_shared<const nlohmann::json>(std::move(parsed));
}

std::string to_text(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_member(const nlohmann::json& object, const char* name) {
    if (!object.is_object()) return "";
    auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace gateway::tools
