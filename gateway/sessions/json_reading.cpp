#include "gateway/sessions/json_reading.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "messaging/json_scanner.hpp"
#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

// The code unit of a \uXXXX escape at `at`; 0 when there is none.
unsigned escaped_unit(std::string_view text, std::size_t at) {
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
    unsigned unit = 0;
    auto [end, ec] = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
    return ec == std::errc() && end == text.data() + at + 6 ? unit : 0;
}

bool is_high(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

// In JSON text: an escape that is half a character becomes U+FFFD.
std::string replace_lone_surrogates(std::string_view text) {
    std::string mended;
    for (std::size_t at = 0; at < text.size();) {
        auto unit = escaped_unit(text, at);
        bool is_pair = is_high(unit) && is_low(escaped_unit(text, at + 6));
        auto length = is_pair ? 12 : unit != 0 ? 6 : text[at] == '\\' ? 2 : 1;
        bool is_lone = !is_pair && (is_high(unit) || is_low(unit));
        mended += is_lone ? std::string_view("\\ufffd") : text.substr(at, length);
        at += length;
    }
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
