#include "gateway/sessions/json_reading.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

// In JSON text: an escape that is half a character becomes U+FFFD.
std::string replace_lone_surrogates(std::string_view text) {
    std::string mended;
    std::size_t done = 0;
    for (auto at = messaging::find_lone_surrogate(text); at != std::string_view::npos;
         at = messaging::find_lone_surrogate(text, done)) {
        mended.append(text.substr(done, at - done)).append("\\ufffd");
        done = at + 6;
    }
    mended.append(text.substr(done));
    return mended;
}

}  // namespace

using nlohmann::json;

json parse_object(const std::string& text) {
    // The scanner bounds the nesting, which the document's own writer follows by recursion.
    if (!messaging::is_json(text)) return json::object();
    auto parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded())
        parsed = json::parse(replace_lone_surrogates(messaging::replace_invalid_utf8(text)), nullptr, false);
    return parsed.is_object() ? parsed : json::object();
}

std::string text_of(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json object_of(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_object() ? *found : json::object();
}

bool is_true(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace gateway::sessions
