#include "gateway/http/text.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// The length of the sequence that begins `text`; 0 when it is none.
std::size_t sequence_length(std::string_view text) {
    auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    unsigned first = at(0), second = at(1);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4 || !is_continuation(static_cast<unsigned char>(second))) return 0;
    if (first < 0xe0) return 2;
    if (!is_continuation(static_cast<unsigned char>(at(2)))) return 0;
    if (first < 0xf0) return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ? 0 : 3;
    if (!is_continuation(static_cast<unsigned char>(at(3)))) return 0;
    return (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ? 0 : 4;
}

}  // namespace

std::string to_lower(std::string_view text) {
    std::string made(text);
    std::transform(made.begin(), made.end(), made.begin(), lower);
    return made;
}

bool equals_ignoring_case(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view trim(std::string_view text) {
    auto from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> items;
    while (true) {
        auto comma = text.find(',');
        auto item = trim(text.substr(0, comma));
        if (!item.empty()) items.push_back(item);
        if (comma == std::string_view::npos) return items;
        text.remove_prefix(comma + 1);
    }
}

bool list_has(std::string_view text, std::string_view token) {
    auto items = split_list(text);
    return std::any_of(items.begin(), items.end(), [&](auto item) { return equals_ignoring_case(item, token); });
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        auto length = sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace gateway::http
