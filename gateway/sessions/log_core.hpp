// The inside of an output log: memory, segments, spilling, and the cursors' claims. Shared by output_log, its cursors
// and the writes under way; inside gateway/sessions. io thread, but for the body of a write or read job.
//
// An entry is in one of three places: in segments (the oldest), in the batch that is being written, or in memory (the
// newest). What is in none of them is a gap.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/budget_state.hpp"
#include "gateway/sessions/log_memory.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/segment_list.hpp"

namespace gateway::sessions {

enum class spill_mode : std::uint8_t { in_background, at_once };

// A batch on its way to disk.
struct spill_job {
    std::vector<shared_entry> entries;
    std::size_t memory = 0;              // what the entries cost
    shared_segment target;               // null when no file could be made
    std::shared_ptr<segment_file> file;  // its file, which the log may drop meanwhile
    std::uint64_t offset = 0;
    std::uint64_t indexed_to = 0;  // offset of the segment's last index record
    bool index_is_empty = true;
    written_batch written;
    result<void> outcome;
};

// What a cursor wants kept in memory.
struct claim {
    bool holding = true;
    std::uint64_t released = 0;
};

// Where reading goes on for a seq.
struct place {
    enum class kind : std::uint8_t { end, memory, disk, gap };
    kind where = kind::end;
    std::uint64_t until = 0;  // last seq of the run in memory, or of the gap
    shared_segment on_disk;
};

class log_core : public std::enable_shared_from_this<log_core> {
  public:
    log_core(executor ex, asio::thread_pool& pool, std::shared_ptr<budget_state> budget, log_limits limits,
             std::string directory, std::uint64_t last_seq = 0);
    ~log_core();

    std::uint64_t append(entry what);
    void end();
    void close();
    bool ended() const { return ended_; }
    std::uint64_t last_seq() const { return last_seq_; }
    std::uint64_t first_seq() const;
    std::uint64_t dropped() const { return dropped_; }
    log_usage usage() const { return usage_; }

    place find(std::uint64_t seq) const;
    const shared_entry& in_memory(std::uint64_t seq) const;
    // Entries of one segment from the pool; a damaged one is cut, so that the next find() tells of a gap.
    awaitable<segment_read> read_disk(shared_segment from, segment_range where);
    asio::thread_pool& pool() { return pool_; }
    // Wakes at every append, at end() and close(), and when a cursor is woken.
    event& changed() { return changed_; }

    void add_claim(claim* what);
    void remove_claim(claim* what);
    void claims_changed();

    // For the budget: whether anything was shed.
    bool shed_memory(spill_mode mode);
    bool shed_disk();

  private:
    std::uint64_t held_from() const;
    std::size_t overdue_bytes() const;
    bool disk_may_be_tried() const;
    void balance();
    void spill(std::size_t bytes, spill_mode mode);
    std::shared_ptr<spill_job> prepare(std::vector<shared_entry> entries);
    void finish(const std::shared_ptr<spill_job>& job);
    void fail(const spill_job& job, const failure& why);
    bool is_adjacent(const spill_job& job) const;
    void lose(std::uint64_t entries);
    void account();

    executor ex_;
    asio::thread_pool& pool_;
    std::shared_ptr<budget_state> budget_;
    log_limits limits_;
    std::size_t batch_bytes_;
    log_memory memory_;
    std::shared_ptr<spill_job> spilling_;
    segment_list segments_;
    std::vector<claim*> claims_;
    event changed_;
    log_usage usage_;
    std::uint64_t last_seq_;
    std::uint64_t dropped_ = 0;
    std::uint64_t appended_bytes_ = 0;
    std::uint64_t retry_disk_at_ = 0;  // of appended_bytes_
    bool disk_failing_ = false;
    bool ended_ = false;
    bool closed_ = false;
};

}  // namespace gateway::sessions
