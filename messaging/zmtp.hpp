// ZMTP 3.0 (RFC 23) as a client writes it, with the NULL mechanism: pure functions over bytes; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "messaging/error.hpp"

namespace messaging {

// What we are to the kernel's socket of a channel: DEALER, SUB, REQ.
enum class zmtp_role : std::uint8_t { dealer, subscriber, requester };

inline constexpr std::size_t zmtp_greeting_bytes = 64;
inline constexpr std::size_t zmtp_version_at = 10;    // of the greeting's bytes
inline constexpr std::size_t zmtp_mechanism_at = 12;  // twenty bytes, padded with zeros
inline constexpr unsigned char zmtp_major = 3;

// A frame begins with its flags; its length follows in one byte, or in eight (network order).
inline constexpr unsigned char zmtp_more = 0x01;
inline constexpr unsigned char zmtp_long = 0x02;
inline constexpr unsigned char zmtp_command = 0x04;

std::string zmtp_greeting();
// The READY command; `identity` at most 255 bytes, for a dealer.
std::string zmtp_ready(zmtp_role role, std::string_view identity);
std::string zmtp_pong(std::string_view context);
// A subscription to every topic: in ZMTP 3.0 a message, not a command.
std::string zmtp_subscription();
// A message of one or more frames.
std::string encode_zmtp(std::span<const std::string_view> parts);

// Whether the metadata of a peer's READY can be read, and names a kind of socket that fits ours.
result<void> check_zmtp_ready(zmtp_role role, std::string_view metadata);

}  // namespace messaging
