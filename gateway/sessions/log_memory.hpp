// The newest entries of an output log, which are still in memory. Owned by its log; io thread.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "gateway/sessions/entry.hpp"

namespace gateway::sessions {

// Seqs in it are dense.
class log_memory {
  public:
    bool empty() const { return slots_.empty(); }
    std::size_t count() const { return slots_.size(); }
    std::uint64_t first_seq() const { return slots_.front().what->seq; }  // not when empty
    std::uint64_t last_seq() const { return slots_.back().what->seq; }
    std::size_t bytes() const { return empty() ? 0 : slots_.back().end - start(); }
    // Bytes of the entries before `seq`.
    std::size_t bytes_before(std::uint64_t seq) const;
    bool has(std::uint64_t seq) const { return !empty() && seq >= first_seq() && seq <= last_seq(); }
    const shared_entry& at(std::uint64_t seq) const { return slots_[seq - first_seq()].what; }

    void push_back(shared_entry what);
    // The oldest entries up to about `bytes`, at least one unless it is empty.
    std::vector<shared_entry> take_front(std::size_t bytes);
    // Puts entries back that take_front gave; they end where the rest begins.
    void put_back(const std::vector<shared_entry>& entries);
    void clear() { slots_.clear(); }

  private:
    // Bytes are counted from the first push, so that any run of entries costs one subtraction.
    struct slot {
        shared_entry what;
        std::uint64_t end = 0;
        std::size_t size = 0;
    };
    std::uint64_t start() const { return slots_.front().end - slots_.front().size; }
    std::deque<slot> slots_;
    std::uint64_t total_ = std::uint64_t{1} << 62;  // put_back counts down from where the front began
};

}  // namespace gateway::sessions
