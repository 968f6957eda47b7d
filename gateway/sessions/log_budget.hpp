// The gateway's totals over all output logs: past them the log furthest over its share spills (memory) or drops (disk)
// first. The share is the same for all, so that is the one that has the most. Made by main, outlives every log; io
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gateway::sessions {

struct budget_state;

class log_budget {
  public:
    log_budget(std::size_t total_memory_bytes, std::uint64_t total_disk_bytes);
    std::size_t memory_bytes() const;
    std::uint64_t disk_bytes() const;
    std::uint64_t dropped_entries() const;  // of all logs, also of those that are gone

  private:
    friend class output_log;
    std::shared_ptr<budget_state> state_;
};

}  // namespace gateway::sessions
