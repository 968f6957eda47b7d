// Host names, written in one way. Pure; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace gateway::outbound {

// In lower case, without the dot that ends a full name: what is compared must be written in one way.
inline std::string normalized_host(std::string host) {
    auto lowered = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    std::transform(host.begin(), host.end(), host.begin(), lowered);
    if (host.ends_with('.')) host.pop_back();
    return host;
}

// A name that ends in a number is one of the spellings by which resolvers take an IPv4 address: 2130706433, 0x7f.1,
// 0177.0.0.1, 127.1 (WHATWG URL, "ends in a number").
inline bool ends_in_number(std::string_view name) {
    auto last = name.substr(name.rfind('.') + 1);
    auto is_digit = [](char letter) { return '0' <= letter && letter <= '9'; };
    return last.starts_with("0x") || (!last.empty() && std::all_of(last.begin(), last.end(), is_digit));
}

}  // namespace gateway::outbound
