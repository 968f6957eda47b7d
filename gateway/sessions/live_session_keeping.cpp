// What of a session outlives the gateway, and how it goes on with what an earlier one left.
#include <fmt/core.h>

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/live_session.hpp"

namespace gateway::sessions {

kept_session live_session::kept() const {
    kept_session made;
    made.id = id();
    made.options = options();
    made.directory = directory();
    made.created_at = created_at_;
    made.last_activity = last_activity_;
    made.seq_limit = seq_limit_;
    made.restarts = restarts();
    const auto& model = meters_->model;
    made.model = {model.calls(), model.tokens().prompt, model.tokens().completion};
    made.searches.calls = meters_->search.calls();
    return made;
}

void live_session::keep_now() {
    if (!parts_.keeper) return;
    auto now = kept();
    kept_activity_ = {now.last_activity, now.restarts, now.model, now.searches};
    parts_.keeper->put(std::move(now));
}

void live_session::keep_when_changed() {
    const auto now = kept();
    if (activity{now.last_activity, now.restarts, now.model, now.searches} == kept_activity_) return;
    keep_now();
}

// The seqs up to the limit may be given out without asking the disk; a next block is asked for while half is left.
std::uint64_t live_session::append(entry what) {
    const auto seq = log_.append(std::move(what));
    if (parts_.keeper && !ended_ && seq_limit_ - seq < seq_block / 2) {
        seq_limit_ = seq + seq_block;
        keep_now();
    }
    return seq;
}

void live_session::keep_cell(const cell& which, std::string summary, const std::string& result) {
    if (parts_.keeper) parts_.keeper->put(id(), keep(which, cells_.is_hidden(which), std::move(summary), result));
}

awaitable<void> live_session::release_when_kept(std::string msg_id) {
    auto self = shared_from_this();
    auto kept = co_await parts_.keeper->written(id());
    if (!kept) log::warning("session {}: a cell with an idempotency key runs without being written down", id());
    apply(executions_.release(msg_id));
}

// Its clients see a gap up to here, then how the cells ended that ran, and that the kernel is gone.
void live_session::revive() {
    lead_out();
    dormant_ = replaces_kernel_ = variables_gone_ = true;
    reason_ = cell_reason::gateway_ended;
    cells_.set_earlier([this] { return earlier_cells(); });
    for (const auto& each : std::exchange(parts_.earlier->cut_off, {})) end_cut_off(each);
    log_event("kernel_status", "", kernel_status_body(sessions::to_string(state()), sessions::to_string(reason_)));
}

void live_session::end_cut_off(const kept_cell& which) {
    auto lost = restore(which, wall_clock::now());
    lost.seq_last = log_.last_seq() + 1;
    auto body = cell_finished_body(lost);
    log_event("cell_finished", lost.id, body);
    parts_.keeper->put(id(), keep(lost, which.hidden, std::move(body), which.result));
}

std::vector<cell_book::earlier_cell> live_session::earlier_cells() const {
    std::vector<cell_book::earlier_cell> all;
    for (const auto& each : parts_.keeper->read_cells(id()))
        all.push_back({restore(each, wall_clock::now()), each.hidden});
    return all;
}

void live_session::wake() {
    if (ended_ || !sandbox_.enable || !std::exchange(dormant_, false)) return;
    if (std::exchange(replaces_kernel_, false)) ++earlier_restarts_;
    log_event("kernel_status", "", kernel_status_body(sessions::to_string(state()), ""));
    tasks_.spawn("start of " + id(), boot());
}

}  // namespace gateway::sessions
