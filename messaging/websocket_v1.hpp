// v1.kernel.websocket.jupyter.org: binary, little-endian u64 offsets, the ZeroMQ frames verbatim. Pure; any thread.
// k offsets with k = 6 + buffers; offsets[0] = 8 (k + 1); the last offset is the frame's length.
#pragma once

#include <string>
#include <string_view>

#include "messaging/message.hpp"

namespace messaging {

inline constexpr std::string_view v1_subprotocol = "v1.kernel.websocket.jupyter.org";

std::string encode_v1(const message& from);
// What comes before the message's own bytes: header, parent_header, metadata, content and buffers follow as they are.
std::string encode_v1_head(const message& from);
result<message> decode_v1(std::string_view bytes);

}  // namespace messaging
