// The ZeroMQ form of a message: [idents…] "<IDS|MSG>" hmac header parent_header metadata content buffers….
// Pure functions over bytes; any thread. Jupyter messaging specification 5.5, "The wire protocol".
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messaging/message.hpp"
#include "messaging/signer.hpp"

namespace messaging {

inline constexpr std::string_view delimiter = "<IDS|MSG>";
// More frames than this are refused before any of them is looked at.
inline constexpr std::size_t max_frames = 4096;

using frames = std::vector<std::string>;

// The four parts that a message's signature is about. Counts and finds the delimiter first.
result<std::array<std::string_view, 4>> find_signed_parts(const frames& parts);
// Finds the parts, then checks the signature, then moves the parts out. Content is not parsed.
result<message> decode_wire(frames parts, channel where, signer& keys);
// The same where the parts were signed elsewhere: `expected`.
result<message> decode_wire(frames parts, channel where, signer& keys, std::string_view expected);
frames encode_wire(const message& from, signer& keys);
// The same without a copy of the parts.
frames encode_wire(message&& from, signer& keys);

}  // namespace messaging
