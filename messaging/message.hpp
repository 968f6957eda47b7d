// One Jupyter message, its JSON parts as the bytes that came. Values; any thread.
// Jupyter messaging specification 5.5, "The wire protocol".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messaging/error.hpp"

namespace messaging {

enum class channel : std::uint8_t { shell, control, stdin_channel, iopub };

std::string_view to_string(channel where);  // "shell", "control", "stdin", "iopub"
std::optional<channel> find_channel(std::string_view name);

struct message {
    channel where = channel::shell;
    // Routing ids or the iopub topic, the frames before <IDS|MSG>; empty for what a client sends.
    std::vector<std::string> identities;
    std::string header;
    std::string parent_header = "{}";
    std::string metadata = "{}";
    std::string content = "{}";
    std::vector<std::string> buffers;

    // What is signed, and sent in this order: header, parent_header, metadata, content.
    std::array<std::string_view, 4> json_parts() const { return {header, parent_header, metadata, content}; }
    // Bytes of all parts: what the message costs in memory and in a log.
    std::size_t size() const;
    bool operator==(const message&) const = default;
};

using shared_message = std::shared_ptr<const message>;

// What the gateway reads of a header; absent fields are empty, the others go their way unread.
struct header_fields {
    std::string msg_id;
    std::string msg_type;
    std::string session;
    std::string subshell_id;

    bool operator==(const header_fields&) const = default;
};

// Fails when `json` is not an object, or a field is neither a string nor null. "{}" gives empty fields. At most 64 KiB.
result<header_fields> parse_header(std::string_view json);

// A random UUID (version 4).
std::string make_id();
// JSON text of a header with `date` now; the id is random when empty. `version` is the protocol's: the gateway
// says 5.3.
std::string make_header(std::string_view msg_type, std::string_view session, std::string_view msg_id = {},
                        std::string_view username = "cellgate", std::string_view version = "5.3");
// A whole message: header made as above, parent_header copied as it is.
message make_message(channel where, std::string_view msg_type, std::string_view session, std::string content,
                     std::string parent_header = "{}");

}  // namespace messaging
