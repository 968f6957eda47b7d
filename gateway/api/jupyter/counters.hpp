// What /metrics counts of the channels. Plain numbers; io thread.
#pragma once

#include <cstdint>

namespace gateway::api::jupyter {

struct channel_counters {
    std::uint64_t connections = 0;  // made so far
    std::uint64_t messages_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t merged = 0;  // of those sent: several streams of the kernel in one, for a client that lagged
    std::uint64_t messages_received = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t bad_frames = 0;
    std::uint64_t buffers_stripped = 0;  // messages sent without their buffers to a client that cannot read them
    std::uint64_t cut = 0;               // connections that ended without being closed by the gateway
};

}  // namespace gateway::api::jupyter
