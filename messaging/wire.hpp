// The ZeroMQ form of a message: [idents…] "<IDS|MSG>" hmac header parent_header metadata content buffers….
// Pure functions over bytes; any thread. Jupyter messaging specification 5.5, "The wire protocol".
#pragma once

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

// Counts and finds the delimiter, then checks the signature, then moves the parts out. Content is not parsed.
result<message> decode_wire(frames parts, channel where, signer& keys);
frames encode_wire(const message& from, signer& keys);

}  // namespace messaging
