// A cell as it outlives the gateway: what a client is shown of it, in few texts. Values; pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "gateway/base/result.hpp"
#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

struct kept_cell {
    std::string id;
    std::uint64_t seq_first = 0;
    bool ended = false;
    bool hidden = false;  // a silent one: found, not listed
    bool store_history = true;
    std::int64_t displays = 0;  // how many it had; they themselves are not kept
    std::string idempotency_key;
    wall_clock::time_point queued_at;
    wall_clock::time_point ended_at;  // when it has
    std::string summary;              // cell_finished_body()
    std::string code;
    std::string out;
    std::string err;
    std::string result;    // the content of its execute_result, JSON; empty: none
    std::string metadata;  // of its request

    std::size_t bytes() const;
};

// `summary` is its cell_finished_body(), `result` the content of its execute_result, empty when it has none. What is
// larger than the limits of one cell is left out, and its text says so; a code that is too long to be kept is no code.
kept_cell keep(const cell& from, bool hidden, std::string summary, const std::string& result);

// The cell that it was. What did not end before the gateway did is lost (gateway_ended), at `now`.
cell restore(const kept_cell& from, wall_clock::time_point now);

// Frees what it can do without, for when the disk does not take it.
void leave_out_texts(kept_cell& from);

}  // namespace gateway::sessions
