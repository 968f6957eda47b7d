// Adjacent stream messages as one: a reader that lags gets the same text in fewer messages. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "gateway/sessions/entry.hpp"

namespace gateway::sessions {

// A merged message holds at most this much text, unless it is told otherwise.
inline constexpr std::size_t most_merged_text = 1u << 20;

// Neighbours of one parent, stream name, client and cell become one entry with the header, seq and time of its last
// part. What is not a plain stream message (other keys, buffers, text that is not UTF-8) stays as it is.
std::vector<shared_entry> merge_streams(std::vector<shared_entry> entries, std::size_t most_text = most_merged_text);

}  // namespace gateway::sessions
