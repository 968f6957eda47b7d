#include "gateway/api/agent/mime.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gateway/api/agent/json_text.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_json_type(const std::string& mime) { return mime.ends_with("/json") || mime.ends_with("+json"); }

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

bool is_lines(const json& value) {
    if (!value.is_array()) return false;
    for (const auto& each : value)
        if (!each.is_string()) return false;
    return true;
}

}  // namespace

json content_object(const messaging::message& from) {
    // Bounds the nesting: the document's writer follows it by recursion.
    if (!messaging::is_json(from.content)) return json::object();
    auto parsed = json::parse(from.content, nullptr, false);
    // Ill-formed UTF-8 and lone surrogates, which the scanner lets pass, are no reason to lose an output.
    if (parsed.is_discarded())
        parsed = json::parse(replace_lone_surrogates(messaging::replace_invalid_utf8(from.content)), nullptr, false);
    return parsed.is_object() ? parsed : json::object();
}

std::string text_member(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json object_member(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_object() ? *found : json::object();
}

json mime_bundle(const json& content) {
    auto bundle = object_member(content, "data");
    for (auto& [mime, value] : bundle.items())
        if (!value.is_string() && !is_lines(value) && !is_json_type(mime)) value = dump(value);
    return bundle;
}

json lost_bundle() {
    return {
        {"text/plain", "[cellgate: this output is no longer kept: the session's log passed output_log.disk_bytes]"}};
}

std::string to_base64(const std::string& bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        auto byte = [&](std::size_t offset) -> unsigned {
            return at + offset < bytes.size() ? static_cast<unsigned char>(bytes[at + offset]) : 0;
        };
        unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
        text += base64_letters[group >> 18 & 63];
        text += base64_letters[group >> 12 & 63];
        text += at + 1 < bytes.size() ? base64_letters[group >> 6 & 63] : '=';
        text += at + 2 < bytes.size() ? base64_letters[group & 63] : '=';
    }
    return text;
}

}  // namespace gateway::api::agent
