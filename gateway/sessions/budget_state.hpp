// What log_budget keeps: every open log and what it uses. Inside gateway/sessions; io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gateway::sessions {

class log_core;

struct log_usage {
    std::size_t memory = 0;  // with what is being written
    std::size_t writing = 0;
    std::uint64_t disk = 0;
};

struct budget_state {
    std::size_t memory_limit = 0;
    std::uint64_t disk_limit = 0;
    log_usage total;
    std::uint64_t dropped = 0;
    std::vector<log_core*> logs;
    bool balancing = false;

    // A log's usage changed.
    void replace(const log_usage& before, const log_usage& now);
    // Makes the logs that have the most spill and drop until the totals are kept.
    void balance();
    bool memory_is_short() const { return total.memory > memory_limit; }
    void remove(log_core* log);

  private:
    log_core* most_memory(bool idle_only) const;
    log_core* most_disk() const;
};

}  // namespace gateway::sessions
