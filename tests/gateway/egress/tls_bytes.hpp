// TLS records with a ClientHello, written byte by byte, for tests.
#pragma once

#include <string>
#include <string_view>

namespace gateway::egress {

inline std::string number(std::size_t value, std::size_t size) {
    std::string made;
    for (std::size_t at = size; at-- > 0;) made += static_cast<char>(value >> (8 * at) & 0xff);
    return made;
}

inline std::string with_length(const std::string& bytes, std::size_t size) {
    return number(bytes.size(), size) + bytes;
}

inline std::string extension(unsigned type, const std::string& body) { return number(type, 2) + with_length(body, 2); }

inline std::string server_name(const std::string& name) {
    return extension(0, with_length(std::string(1, '\0') + with_length(name, 2), 2));
}

// A handshake message.
inline std::string hello_message(const std::string& extensions) {
    std::string body = "\x03\x03" + std::string(32, 'r') + with_length(std::string(32, 's'), 1) +
                       with_length("\x13\x01\x13\x02", 2) + with_length(std::string(1, '\0'), 1) +
                       with_length(extension(0x0a, with_length(std::string("\x00\x1d", 2), 2)) + extensions, 2);
    return "\x01" + with_length(body, 3);
}

// In records of at most `piece` bytes.
inline std::string records(std::string_view message, std::size_t piece = 1u << 14) {
    std::string made;
    for (; !message.empty(); message.remove_prefix(std::min(piece, message.size())))
        made += "\x16\x03\x01" + with_length(std::string(message.substr(0, piece)), 2);
    return made;
}

inline std::string hello_for(const std::string& name) { return records(hello_message(server_name(name))); }

}  // namespace gateway::egress
