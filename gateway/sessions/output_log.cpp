#include "gateway/sessions/output_log.hpp"

#include <algorithm>

#include "gateway/sessions/cursor_state.hpp"
#include "gateway/sessions/log_core.hpp"
#include "gateway/sessions/log_reader.hpp"

namespace gateway::sessions {
namespace {

const entry_filter everything;

}  // namespace

output_log::output_log(executor ex, asio::thread_pool& pool, log_budget& budget, log_limits limits,
                       std::string directory, std::uint64_t last_seq)
    : core_(std::make_shared<log_core>(std::move(ex), pool, budget.state_, limits, std::move(directory), last_seq)) {}

output_log::~output_log() { close(); }

std::uint64_t output_log::append(entry what) { return core_->append(std::move(what)); }
std::uint64_t output_log::last_seq() const { return core_->last_seq(); }
std::uint64_t output_log::first_seq() const { return core_->first_seq(); }

std::unique_ptr<cursor> output_log::open(std::uint64_t after_seq) {
    auto state = std::make_shared<cursor_state>();
    state->core = core_;
    state->position = state->given = state->held.released = std::min(after_seq, core_->last_seq());
    return std::unique_ptr<cursor>(new cursor(std::move(state)));
}

awaitable<std::vector<shared_entry>> output_log::read(std::uint64_t after_seq, std::uint64_t until_seq,
                                                      std::size_t max_bytes) {
    auto core = core_;
    read_step step;
    disk_hint nowhere;
    step.position = after_seq;
    // A step is empty only when a file was damaged; the next one then meets the gap.
    while (step.entries.empty() && step.position < std::min(until_seq, core->last_seq())) {
        auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) break;
        read_request what{step.position, std::min(until_seq, core->last_seq()), max_bytes};
        step = co_await read_some(core, what, everything, nowhere);
    }
    co_return std::move(step.entries);
}

std::size_t output_log::memory_bytes() const { return core_->usage().memory; }
std::uint64_t output_log::disk_bytes() const { return core_->usage().disk; }
std::uint64_t output_log::dropped_entries() const { return core_->dropped(); }
void output_log::end() { core_->end(); }
void output_log::close() { core_->close(); }

}  // namespace gateway::sessions
