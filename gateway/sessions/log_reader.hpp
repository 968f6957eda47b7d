// One step of reading an output log: the entries that come after a seq, wherever they are. Used by cursors and by
// output_log::read; inside gateway/sessions; io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gateway/sessions/log_core.hpp"

namespace gateway::sessions {

// Where the last step ended on disk, so that the next one need not look for it.
struct disk_hint {
    std::weak_ptr<segment> in;
    std::uint64_t seq = 0;
    std::uint64_t offset = 0;
};

struct read_step {
    std::vector<shared_entry> entries;  // those that are wanted; may be none
    std::uint64_t position = 0;         // the last seq looked at
    disk_hint hint;
};

struct read_request {
    std::uint64_t after_seq = 0;
    std::uint64_t until_seq = 0;
    std::size_t max_bytes = 0;
};

using entry_filter = std::function<bool(const entry&)>;

// Looks at entries of (after_seq, until_seq], which are not none, in one place: memory, one segment, or a gap.
// `wanted` outlives the await.
awaitable<read_step> read_some(std::shared_ptr<log_core> core, read_request what, const entry_filter& wanted,
                               disk_hint hint);

}  // namespace gateway::sessions
