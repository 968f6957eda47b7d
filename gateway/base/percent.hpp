// Percent-encoding (RFC 3986). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// All but letters, digits, "-._~", and where it is asked for "/".
inline std::string percent_encode(std::string_view text, bool keep_slashes = false) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string encoded;
    for (unsigned char each : text) {
        const bool is_plain = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                              (each >= 'A' && each <= 'Z') || each == '-' || each == '.' || each == '_' ||
                              each == '~' || (each == '/' && keep_slashes);
        if (is_plain)
            encoded += static_cast<char>(each);
        else
            encoded.append({'%', digits[each >> 4], digits[each & 15]});
    }
    return encoded;
}

}  // namespace gateway
