#include "gateway/sessions/log_budget.hpp"

#include <algorithm>

#include "gateway/sessions/budget_state.hpp"
#include "gateway/sessions/log_core.hpp"

namespace gateway::sessions {

log_budget::log_budget(std::size_t total_memory_bytes, std::uint64_t total_disk_bytes)
    : state_(std::make_shared<budget_state>()) {
    state_->memory_limit = total_memory_bytes;
    state_->disk_limit = total_disk_bytes;
}

std::size_t log_budget::memory_bytes() const { return state_->total.memory; }
std::uint64_t log_budget::disk_bytes() const { return state_->total.disk; }
std::uint64_t log_budget::dropped_entries() const { return state_->dropped; }

void budget_state::replace(const log_usage& before, const log_usage& now) {
    total.memory += now.memory - before.memory;
    total.writing += now.writing - before.writing;
    total.disk += now.disk - before.disk;
}

void budget_state::balance() {
    if (balancing) return;
    balancing = true;
    while (total.memory - total.writing > memory_limit) {
        auto* log = most_memory(true);
        if (!log || !log->shed_memory(spill_mode::in_background)) break;
    }
    // The disk does not keep up: the gateway waits for it rather than grow without a bound.
    while (total.memory > 2 * memory_limit) {
        auto* log = most_memory(false);
        if (!log || !log->shed_memory(spill_mode::at_once)) break;
    }
    while (total.disk > disk_limit) {
        auto* log = most_disk();
        if (!log || !log->shed_disk()) break;
    }
    balancing = false;
}

void budget_state::remove(log_core* log) { logs.erase(std::remove(logs.begin(), logs.end(), log), logs.end()); }

log_core* budget_state::most_memory(bool idle_only) const {
    log_core* found = nullptr;
    std::size_t most = 0;
    for (auto* each : logs) {
        auto used = each->usage();
        if (idle_only && used.writing > 0) continue;
        if (used.memory - used.writing > most) {
            most = used.memory - used.writing;
            found = each;
        }
    }
    return found;
}

log_core* budget_state::most_disk() const {
    auto most = std::max_element(logs.begin(), logs.end(), [](const log_core* left, const log_core* right) {
        return left->usage().disk < right->usage().disk;
    });
    return most == logs.end() || (*most)->usage().disk == 0 ? nullptr : *most;
}

}  // namespace gateway::sessions
