// One entry of a session's output log. Immutable once appended; shared between the log and its readers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/base/ids.hpp"
#include "messaging/message.hpp"

namespace gateway::sessions {

enum class entry_kind : std::uint8_t {
    message,  // a Jupyter message: the kernel's own, or one that the gateway made in its place
    event,    // a notification for agents ("cell_queued", …)
    gap,      // entries [gap_from, seq] are no longer there
};

struct entry {
    std::uint64_t seq = 0;        // session-wide, rising, given by output_log::append
    std::uint64_t first_seq = 0;  // of a merged entry: the seq of its first part; otherwise seq
    std::uint64_t gap_from = 0;   // of a gap
    entry_kind kind = entry_kind::message;
    wall_clock::time_point time;
    std::string client;                 // the Jupyter client (its key) it is addressed to; empty: everyone
    std::string cell_id;                // the cell it belongs to; empty: none
    std::string type;                   // msg_type of a message, name of an event
    std::string parent;                 // msg_id of a message's parent
    messaging::shared_message message;  // of a message
    std::string body;                   // of an event: its params as a JSON object, without seq

    // What it costs in memory and on disk.
    std::size_t size() const;
};

using shared_entry = std::shared_ptr<const entry>;

}  // namespace gateway::sessions
