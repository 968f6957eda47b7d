// Jupyter's WebSocket form without a subprotocol: JSON text, or binary with big-endian u32 offsets when there are
// buffers. Pure; any thread. jupyter_client docs, "WebSocket protocols"; zero-length buffers are legal, n < 2 is not.
#pragma once

#include <string>
#include <string_view>

#include "messaging/message.hpp"

namespace messaging {

struct websocket_frame {
    bool binary = false;
    std::string bytes;
};

// A message with buffers becomes a binary frame, any other a text frame; raw JSON parts are concatenated, never parsed.
// Top-level msg_id and msg_type repeat the header's.
websocket_frame encode_default(const message& from);
// As text without the buffers, whatever the message has: for clients that cannot read binary frames.
websocket_frame encode_default_without_buffers(const message& from);
// Accepts `buffers` as {} or [], a missing channel (shell), missing parent_header, metadata, content (as {}).
result<message> decode_default(std::string_view bytes, bool binary);

}  // namespace messaging
