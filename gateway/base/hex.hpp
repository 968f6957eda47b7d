// Bytes as text. Pure; any thread.
#pragma once

#include <span>
#include <string>

namespace gateway {

// Two lower-case digits a byte.
inline std::string to_hex(std::span<const unsigned char> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (auto byte : bytes) text.append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    return text;
}

}  // namespace gateway
