#include "gateway/outbound/headers.hpp"

#include <algorithm>

namespace gateway::outbound {
namespace {

char lower(char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    auto same = [](char a, char b) { return lower(a) == lower(b); };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
}

bool is_token_char(char letter) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    auto low = lower(letter);
    return ('a' <= low && low <= 'z') || ('0' <= low && low <= '9') || marks.find(letter) != std::string_view::npos;
}

bool is_value_char(char letter) {
    auto code = static_cast<unsigned char>(letter);
    return code == '\t' || (code >= 0x20 && code != 0x7f);
}

}  // namespace

std::string_view find_header(const headers& fields, std::string_view name) {
    for (const auto& [each, value] : fields)
        if (equal_ignoring_case(each, name)) return value;
    return {};
}

bool is_valid_header(std::string_view name, std::string_view value) {
    return !name.empty() && std::all_of(name.begin(), name.end(), is_token_char) &&
           std::all_of(value.begin(), value.end(), is_value_char);
}

}  // namespace gateway::outbound
