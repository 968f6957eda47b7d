// Which entries of an output log are on disk, and where: segments in order of seq, each with a sparse index. Only
// bookkeeping and directory work; the pool reads and writes. Owned by its log; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gateway/sessions/segment_file.hpp"

namespace gateway::sessions {

// One index record for about this many bytes: what a reader that jumps in may have to skip.
inline constexpr std::uint64_t index_step_bytes = 64u << 10;

struct index_record {
    std::uint64_t seq = 0;
    std::uint64_t offset = 0;
};

// A file and the dense run of seqs in it.
struct segment {
    std::shared_ptr<segment_file> file;
    std::uint64_t first_seq = 0;
    std::uint64_t next_seq = 0;  // behind the last; first_seq when it is empty
    std::uint64_t size = 0;      // bytes of whole records
    std::vector<index_record> index;
    bool writing = false;  // a batch is on its way into it
    bool dropped = false;  // no longer in the list

    bool holds(std::uint64_t seq) const { return seq >= first_seq && seq < next_seq; }
    // Where to begin to read for `seq`.
    std::uint64_t find_offset(std::uint64_t seq) const;
};

using shared_segment = std::shared_ptr<segment>;

// What a finished write adds.
struct written_batch {
    std::uint64_t next_seq = 0;
    std::uint64_t bytes = 0;
    std::vector<index_record> index;
};

class segment_list {
  public:
    segment_list(std::string directory, std::uint64_t segment_bytes, boost::asio::thread_pool& pool)
        : directory_(std::move(directory)), segment_bytes_(segment_bytes), pool_(pool) {}

    std::uint64_t bytes() const { return bytes_; }
    bool empty() const { return segments_.empty(); }
    // The oldest entry on disk; 0 when none is.
    std::uint64_t first_seq() const;
    // The first entry on disk with this seq or a later one; 0 when there is none.
    std::uint64_t next_from(std::uint64_t seq) const;
    shared_segment find(std::uint64_t seq) const;  // null when no segment holds it

    // The segment that the entries from `seq` on go to, marked as being written: the newest, or a new one.
    result<shared_segment> open_for(std::uint64_t seq);
    void commit(segment& target, const written_batch& batch);
    // The write did not happen; a segment that is still empty goes.
    void give_up(const shared_segment& target);
    // Deletes the oldest segment; the number of entries that went with it.
    std::uint64_t drop_oldest();
    // Cuts a damaged segment at `seq`: the number of entries lost.
    std::uint64_t cut(segment& damaged, std::uint64_t seq);
    // Deletes all files; the list is then empty.
    void clear();

  private:
    void forget(const shared_segment& which);
    std::string directory_;
    std::uint64_t segment_bytes_;
    boost::asio::thread_pool& pool_;
    std::vector<shared_segment> segments_;
    std::uint64_t bytes_ = 0;
};

}  // namespace gateway::sessions
