#include "messaging/utf8.hpp"

#include <cstring>

namespace messaging {
namespace {

struct sequence {
    std::size_t length;
    bool valid;
};

// How far ASCII reaches from `at`, eight bytes at a time.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
    while (text.size() - at >= 8) {
        std::uint64_t block;
        std::memcpy(&block, text.data() + at, 8);
        if (block & 0x8080808080808080u) break;
        at += 8;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

std::size_t expected_length(unsigned char lead) {
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 1;
}

// The second byte's range excludes overlong forms, surrogates, and what lies above U+10FFFF.
bool second_fits(unsigned char lead, unsigned char second) {
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

// The non-ASCII sequence at `at`: well-formed, or the stretch that one U+FFFD stands for.
sequence sequence_at(std::string_view text, std::size_t at) {
    auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[at + index]); };
    std::size_t wanted = expected_length(byte(0));
    if (wanted == 1) return {1, false};
    for (std::size_t index = 1; index < wanted; ++index) {
        if (at + index >= text.size()) return {index, false};
        bool fits = index == 1 ? second_fits(byte(0), byte(1)) : (byte(index) & 0xC0) == 0x80;
        if (!fits) return {index, false};
    }
    return {wanted, true};
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t at = skip_ascii(text, 0); at < text.size();) {
        auto found = sequence_at(text, at);
        if (!found.valid) return at;
        at += found.length;
        if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) at = skip_ascii(text, at);
    }
    return text.size();
}

bool is_utf8(std::string_view text) { return find_invalid_utf8(text) == text.size(); }

std::string replace_invalid_utf8(std::string_view text) {
    std::string clean;
    clean.reserve(text.size() + text.size() / 8);
    for (std::size_t at = 0; at < text.size();) {
        std::size_t ascii_end = skip_ascii(text, at);
        clean.append(text, at, ascii_end - at);
        at = ascii_end;
        if (at == text.size()) break;
        auto found = sequence_at(text, at);
        clean += found.valid ? text.substr(at, found.length) : replacement_character;
        at += found.length;
    }
    return clean;
}

void append_utf8(std::string& to, std::uint32_t code_point) {
    auto put = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
    auto tail = [&](int shift) { put(0x80 | ((code_point >> shift) & 0x3F)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | (code_point >> 6));
        tail(0);
    } else if (code_point < 0x10000) {
        put(0xE0 | (code_point >> 12));
        tail(6);
        tail(0);
    } else {
        put(0xF0 | (code_point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::size_t unfinished_suffix(std::string_view text) {
    constexpr std::size_t longest = 3;
    for (std::size_t size = 1; size <= longest && size <= text.size(); ++size) {
        std::size_t at = text.size() - size;
        if (!begins_character(text[at])) continue;
        bool lacks_some = expected_length(static_cast<unsigned char>(text[at])) > size;
        return lacks_some && sequence_at(text, at).length == size ? size : 0;
    }
    return 0;
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && !begins_character(text[most])) --most;
    return text.substr(0, most);
}

}  // namespace messaging
