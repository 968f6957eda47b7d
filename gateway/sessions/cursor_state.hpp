// The inside of a cursor, kept alive by a next() under way. Inside gateway/sessions; io thread.
#pragma once

#include <cstdint>
#include <memory>

#include "gateway/sessions/log_core.hpp"
#include "gateway/sessions/log_reader.hpp"

namespace gateway::sessions {

struct cursor_state {
    std::shared_ptr<log_core> core;
    entry_filter wanted;
    std::uint64_t position = 0;
    disk_hint hint;
    claim held;
    std::uint64_t given = 0;  // the last seq that next() gave
    unsigned moves = 0;       // counts seeks and new filters, so that a read under way is not taken for the new place
    bool reading = false;
    bool woken = false;
};

// Says that a next() is under way.
class reading_mark {
  public:
    explicit reading_mark(cursor_state& of) : of_(of) {
        of_.reading = true;
        of_.woken = false;
    }
    ~reading_mark() { of_.reading = false; }
    reading_mark(const reading_mark&) = delete;
    reading_mark& operator=(const reading_mark&) = delete;

  private:
    cursor_state& of_;
};

}  // namespace gateway::sessions
