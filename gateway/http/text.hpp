// Small helpers for header text: ASCII case, trimming, comma lists, UTF-8. Pure; any thread.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view left, std::string_view right);
std::string_view trim(std::string_view text);
// "a, b,,c" to {"a", "b", "c"}.
std::vector<std::string_view> split_list(std::string_view text);
// What they give is a part of the text, which must live on.
template <std::same_as<std::string> Text>
std::string_view trim(Text&& text) = delete;
template <std::same_as<std::string> Text>
std::vector<std::string_view> split_list(Text&& text) = delete;
bool list_has(std::string_view text, std::string_view token);
// RFC 3629: no overlong forms, no surrogates.
bool is_utf8(std::string_view text);

}  // namespace gateway::http
