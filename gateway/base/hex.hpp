// Bytes as text. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Two lower-case digits a byte.
inline std::string to_hex(std::span<const unsigned char> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (auto byte : bytes) text.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    return text;
}

// The bytes of such digits, of either case; none when there is something else among them.
inline std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    auto digit = [](char letter) {
        if ('0' <= letter && letter <= '9') return letter - '0';
        const char lower = static_cast<char>(letter | 0x20);
        return 'a' <= lower && lower <= 'f' ? lower - 'a' + 10 : -1;
    };
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t at = 0; at < text.size(); at += 2) {
        const int high = digit(text[at]), low = digit(text[at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace gateway
