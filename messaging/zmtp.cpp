#include "messaging/zmtp.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace messaging {
namespace {

constexpr std::string_view null_mechanism = "NULL";
constexpr std::size_t short_frame = 255;
constexpr std::size_t name_size = 1;   // bytes of a property's or command's name's length
constexpr std::size_t value_size = 4;  // bytes of a property's value's length

struct role_rules {
    std::string_view name;
    std::array<std::string_view, 3> peers;
};

constexpr std::array<role_rules, 3> rules = {{
    {"DEALER", {"ROUTER", "REP", "DEALER"}},
    {"SUB", {"PUB", "XPUB", ""}},
    {"REQ", {"REP", "ROUTER", ""}},
}};

const role_rules& rules_of(zmtp_role role) { return rules[static_cast<std::size_t>(role)]; }

void add_number(std::string& to, std::uint64_t value, int bytes) {
    while (bytes-- > 0) to += static_cast<char>(value >> (8 * bytes));
}

void add_frame(std::string& to, unsigned char flags, std::string_view body) {
    bool is_long = body.size() > short_frame;
    to += static_cast<char>(flags | (is_long ? zmtp_long : 0));
    add_number(to, body.size(), is_long ? 8 : 1);
    to += body;
}

void add_name(std::string& to, std::string_view name) {
    add_number(to, name.size(), name_size);
    to += name;
}

void add_property(std::string& to, std::string_view name, std::string_view value) {
    add_name(to, name);
    add_number(to, value.size(), value_size);
    to += value;
}

std::string command(std::string_view name, std::string_view data) {
    std::string body;
    add_name(body, name);
    body += data;
    std::string frame;
    add_frame(frame, zmtp_command, body);
    return frame;
}

// The bytes that a length of `size` bytes announces, taken from the front of `from`.
bool take_sized(std::string_view& from, std::size_t size, std::string_view& into) {
    if (from.size() < size) return false;
    std::uint64_t length = 0;
    for (char byte : from.substr(0, size)) length = length << 8 | static_cast<unsigned char>(byte);
    from.remove_prefix(size);
    if (from.size() < length) return false;
    into = from.substr(0, length);
    from.remove_prefix(length);
    return true;
}

// Names of properties are case-insensitive (RFC 23).
bool is_socket_type(std::string_view name) {
    constexpr std::string_view wanted = "socket-type";
    return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                      [](char each, char lower) { return (each >= 'A' && each <= 'Z' ? each + 32 : each) == lower; });
}

}  // namespace

std::string zmtp_greeting() {
    std::string greeting(zmtp_greeting_bytes, '\0');
    greeting[0] = '\xFF';
    greeting[9] = '\x7F';
    greeting[zmtp_version_at] = zmtp_major;
    greeting.replace(zmtp_mechanism_at, null_mechanism.size(), null_mechanism);
    return greeting;
}

std::string zmtp_ready(zmtp_role role, std::string_view identity) {
    assert(identity.size() <= short_frame);
    std::string metadata;
    add_property(metadata, "Socket-Type", rules_of(role).name);
    if (role != zmtp_role::subscriber) add_property(metadata, "Identity", identity);
    return command("READY", metadata);
}

std::string zmtp_pong(std::string_view context) { return command("PONG", context); }

std::string zmtp_subscription() {
    std::string frame;
    add_frame(frame, 0, "\x01");
    return frame;
}

std::string encode_zmtp(std::span<const std::string_view> parts) {
    std::size_t size = 0;
    for (auto part : parts) size += part.size() + (part.size() > short_frame ? 9 : 2);
    std::string bytes;
    bytes.reserve(size);
    for (std::size_t index = 0; index < parts.size(); ++index)
        add_frame(bytes, index + 1 < parts.size() ? zmtp_more : 0, parts[index]);
    return bytes;
}

result<void> check_zmtp_ready(zmtp_role role, std::string_view metadata) {
    while (!metadata.empty()) {
        std::string_view name, value;
        if (!take_sized(metadata, name_size, name) || !take_sized(metadata, value_size, value)) return errc::bad_frame;
        const auto& fit = rules_of(role).peers;
        if (is_socket_type(name) && std::find(fit.begin(), fit.end(), value) == fit.end()) return errc::wrong_peer;
    }
    return {};
}

}  // namespace messaging
