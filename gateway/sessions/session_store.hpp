// What outlives the gateway of its sessions, on disk. The calls may wait for the disk: load() and cells() are the io
// thread's, write() the pool's, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/sessions/kept_cell.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::sessions {

// What a session's cells used of a service.
struct kept_usage {
    std::uint64_t calls = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;

    bool operator==(const kept_usage&) const = default;
};

struct kept_session {
    std::string id;
    session_options options;
    std::string directory;  // of its files, by name
    wall_clock::time_point created_at;
    wall_clock::time_point last_activity;
    std::uint64_t seq_limit = 0;  // no seq above it was given out
    int restarts = 0;
    kept_usage model;
    kept_usage searches;
};

// What changed of one session since it was last written.
struct session_changes {
    std::string id;
    bool removed = false;                    // then the rest is of no interest
    std::optional<kept_session> now;         // as it is
    std::map<std::string, kept_cell> cells;  // new or changed ones, by their id
};

struct loaded_session {
    kept_session what;
    std::vector<kept_cell> cut_off;  // cells that had not ended when the gateway did, the oldest first
};

class session_store {
  public:
    virtual ~session_store() = default;

    // All sessions, the oldest first. io_error.
    virtual result<std::vector<loaded_session>> load() = 0;
    // The session's cells, in order. io_error.
    virtual result<std::vector<kept_cell>> cells(const std::string& session_id) = 0;
    // All of it or nothing, committed. io_error.
    virtual result<void> write(const std::vector<session_changes>& what) = 0;
};

struct store_limits {
    std::uint64_t cell_bytes = 16u << 20;  // of a session's cells, the newest of which are kept
    milliseconds idempotency{300'000};     // for which a key names its cell once that has ended
};

// In the gateway's database.
result<std::unique_ptr<session_store>> open_session_store(const std::string& data_dir, store_limits limits);

}  // namespace gateway::sessions
