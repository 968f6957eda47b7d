#include "messaging/json_string.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>

#include "messaging/utf8.hpp"

namespace messaging {
namespace {

std::uint32_t hex_unit(std::string_view body, std::size_t at) {
    std::uint32_t unit = 0;
    std::from_chars(body.data() + at, body.data() + at + 4, unit, 16);
    return unit;
}

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The code unit of the \uXXXX escape at `backslash`; 0 when it is none.
std::uint32_t unit_at(std::string_view json, std::size_t backslash) {
    bool is_one = backslash <= json.size() && json.substr(backslash, 2) == "\\u" && json.size() - backslash >= 6;
    return is_one ? hex_unit(json, backslash + 2) : 0;
}

// `at` is behind "\u"; gives the position behind the code point, which may take two escapes.
std::size_t append_code_point(std::string& to, std::string_view body, std::size_t at) {
    std::uint32_t unit = hex_unit(body, at);
    at += 4;
    if (is_high(unit) && body.size() - at >= 6 && body.substr(at, 2) == "\\u") {
        std::uint32_t low = hex_unit(body, at + 2);
        if (is_low(low)) {
            append_utf8(to, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
            return at + 6;
        }
    }
    if (is_high(unit) || is_low(unit))
        to += replacement_character;
    else
        append_utf8(to, unit);
    return at;
}

char short_escape(char letter) {
    switch (letter) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return letter;
    }
}

std::string unescape(std::string_view body) {
    std::string text;
    text.reserve(body.size());
    for (std::size_t at = 0; at < body.size();) {
        std::size_t backslash = body.find('\\', at);
        text += body.substr(at, backslash - at);
        if (backslash == std::string_view::npos) break;
        char letter = body[backslash + 1];
        at = backslash + 2;
        if (letter == 'u')
            at = append_code_point(text, body, at);
        else
            text += short_escape(letter);
    }
    return text;
}

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Where the next character that needs an escape stands, at or behind `at`. Texts have megabytes and few of these: eight
// characters are looked at together, by the carries and borrows of one number.
std::size_t find_escape(std::string_view text, std::size_t at) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t highs = 0x8080808080808080;
    auto has_zero = [](std::uint64_t block) { return (block - ones) & ~block & highs; };
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t block = 0;
        std::memcpy(&block, text.data() + at, sizeof block);
        auto controls = (block - ones * 0x20) & ~block & highs;
        if ((controls | has_zero(block ^ (ones * '"')) | has_zero(block ^ (ones * '\\'))) != 0) break;
    }
    while (at < text.size() && !needs_escape(text[at])) ++at;
    return at;
}

void append_escaped(std::string& to, char c) {
    static constexpr char digits[] = "0123456789abcdef";
    switch (c) {
        case '"':
            to += "\\\"";
            return;
        case '\\':
            to += "\\\\";
            return;
        case '\n':
            to += "\\n";
            return;
        case '\r':
            to += "\\r";
            return;
        case '\t':
            to += "\\t";
            return;
        default:
            break;
    }
    auto byte = static_cast<unsigned char>(c);
    to += "\\u00";
    to += digits[byte >> 4];
    to += digits[byte & 15];
}

}  // namespace

std::string unquote(std::string_view literal) {
    auto body = literal.substr(1, literal.size() - 2);
    std::string text = body.find('\\') == std::string_view::npos ? std::string(body) : unescape(body);
    return is_utf8(text) ? text : replace_invalid_utf8(text);
}

std::string quote(std::string_view text) {
    std::string literal;
    append_quoted(literal, text);
    return literal;
}

void append_quoted(std::string& to, std::string_view text) {
    if (!is_utf8(text)) return append_quoted(to, replace_invalid_utf8(text));
    to.reserve(to.size() + text.size() + 2);
    to += '"';
    for (std::size_t at = 0;;) {
        auto escape = find_escape(text, at);
        to.append(text, at, escape - at);
        if (escape == text.size()) break;
        append_escaped(to, text[escape]);
        at = escape + 1;
    }
    to += '"';
}

std::size_t find_lone_surrogate(std::string_view json, std::size_t from) {
    for (auto at = json.find('\\', from); at != std::string_view::npos; at = json.find('\\', at)) {
        auto unit = unit_at(json, at);
        bool is_pair = is_high(unit) && is_low(unit_at(json, at + 6));
        if (!is_pair && (is_high(unit) || is_low(unit))) return at;
        at += is_pair ? 12 : unit != 0 ? 6 : 2;
    }
    return std::string_view::npos;
}

bool is_string(std::string_view value) { return !value.empty() && value.front() == '"'; }

bool is_object(std::string_view value) { return !value.empty() && value.front() == '{'; }

std::string_view key_of(const json_member& member, std::string& storage) {
    if (member.key.find('\\') == std::string_view::npos) return member.key;
    storage = unescape(member.key);
    return storage;
}

}  // namespace messaging
