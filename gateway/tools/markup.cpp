#include "gateway/tools/markup.hpp"

#include <charconv>
#include <utility>

namespace gateway::tools {
namespace {

constexpr std::pair<std::string_view, char> entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// The length of a tag at the beginning of `text`; 0 when there is none: "a < b" is text.
std::size_t tag_length(std::string_view text) {
    if (text.size() < 3 || text[0] != '<') return 0;
    char first = text[1] == '/' ? text[2] : text[1];
    bool is_name = ('a' <= first && first <= 'z') || ('A' <= first && first <= 'Z');
    auto end = text.find('>');
    return is_name && end != std::string_view::npos ? end + 1 : 0;
}

// What "&#39;" or "&#x27;" at the beginning of `text` stands for, and how long it is.
std::pair<char, std::size_t> numeric_entity(std::string_view text) {
    auto end = text.substr(0, 8).find(';');
    if (text.substr(0, 2) != "&#" || end == std::string_view::npos) return {'\0', 0};
    bool is_hex = text[2] == 'x' || text[2] == 'X';
    auto number = text.substr(is_hex ? 3 : 2, end - (is_hex ? 3 : 2));
    int code = 0;
    auto [stop, ec] = std::from_chars(number.data(), number.data() + number.size(), code, is_hex ? 16 : 10);
    bool is_whole = ec == std::errc() && stop == number.data() + number.size();
    if (!is_whole || code < 0x20 || code > 0x7e) return {'\0', 0};
    return {static_cast<char>(code), end + 1};
}

std::pair<char, std::size_t> entity(std::string_view text) {
    for (const auto& [name, meant] : entities)
        if (text.substr(0, name.size()) == name) return {meant, name.size()};
    return numeric_entity(text);
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

}  // namespace

std::string plain_text(std::string_view text) {
    std::string made;
    bool is_apart = false;
    auto add = [&](char letter) {
        if (is_apart && !made.empty()) made += ' ';
        is_apart = false;
        made += letter;
    };
    while (!text.empty()) {
        std::size_t length = tag_length(text);
        if (length == 0) {
            auto [meant, taken] = text.front() == '&' ? entity(text) : std::pair<char, std::size_t>('\0', 0);
            length = taken == 0 ? 1 : taken;
            char letter = taken == 0 ? text.front() : meant;
            if (is_blank(letter)) {
                is_apart = true;
            } else {
                add(letter);
            }
        }
        text.remove_prefix(length);
    }
    return made;
}

}  // namespace gateway::tools
