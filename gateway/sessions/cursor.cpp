#include <algorithm>
#include <chrono>
#include <iterator>

#include "gateway/base/thread_pool.hpp"
#include "gateway/sessions/cursor_state.hpp"
#include "gateway/sessions/log_reader.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/stream_merge.hpp"

namespace gateway::sessions {
namespace {

// Merging parses every message: past this it would hold the io thread for milliseconds.
constexpr std::size_t most_merged_here = 256u << 10;

constexpr auto never = std::chrono::steady_clock::time_point::max();

std::size_t size_of(const std::vector<shared_entry>& entries) {
    std::size_t bytes = 0;
    for (const auto& each : entries) bytes += each->size();
    return bytes;
}

awaitable<std::vector<shared_entry>> merge(std::shared_ptr<log_core> core, std::vector<shared_entry> entries,
                                           std::size_t most_text = most_merged_text) {
    if (size_of(entries) <= most_merged_here) co_return merge_streams(std::move(entries), most_text);
    auto work = [entries = std::move(entries), most_text]() mutable {
        return merge_streams(std::move(entries), most_text);
    };
    co_return co_await run_on(core->pool(), std::move(work));
}

// Returns at `limit` too. A wait without one makes no timer.
awaitable<void> wait_for_change(event& changed, std::chrono::steady_clock::time_point limit) {
    if (limit == never) co_return co_await changed.wait();
    auto left = limit - std::chrono::steady_clock::now();
    co_await changed.wait_for(std::chrono::ceil<milliseconds>(left));
}

bool is_cancelled(const asio::cancellation_state& state) { return state.cancelled() != asio::cancellation_type::none; }

// A reader that has released all that it was given needs nothing of what it passed over since.
void release_unwanted(cursor_state& of) {
    if (of.held.released < of.given || of.held.released >= of.position) return;
    of.held.released = of.position;
    of.core->claims_changed();
}

}  // namespace

cursor::cursor(std::shared_ptr<cursor_state> made) : state_(std::move(made)) { state_->core->add_claim(&state_->held); }

cursor::~cursor() {
    wake();
    state_->core->remove_claim(&state_->held);
}

awaitable<std::vector<shared_entry>> cursor::next(std::size_t max_bytes, std::size_t merge_from) {
    return next_until(max_bytes, merge_from, never);
}

awaitable<std::vector<shared_entry>> cursor::next(std::size_t max_bytes, std::size_t merge_from, stream_pace& pace) {
    using clock = stream_pace::clock;
    auto state = state_;
    auto read = co_await next(max_bytes, merge_from);
    auto waited = false;
    for (;;) {
        auto wait = pace.wait(read, clock::now());
        if (read.empty() || wait.count() == 0) break;
        auto more = co_await next_until(max_bytes, merge_from, clock::now() + wait);
        if (more.empty()) break;
        waited = true;
        read.insert(read.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    if (waited) {
        auto apart = std::move(read);
        read = co_await merge(state->core, std::move(apart), stream_pace::most_text);
    }
    pace.sent(read, clock::now());
    co_return std::move(read);
}

// Every await is followed by a look at what may have changed meanwhile; the position moves only on the way out.
awaitable<std::vector<shared_entry>> cursor::next_until(std::size_t max_bytes, std::size_t merge_from,
                                                        time_point limit) {
    auto state = state_;
    auto core = state->core;
    reading_mark mark(*state);
    while (!state->woken) {
        auto cancellation = co_await asio::this_coro::cancellation_state;
        if (is_cancelled(cancellation)) break;
        auto waiting = core->last_seq() - state->position;
        if (waiting == 0) {
            if (core->ended() || std::chrono::steady_clock::now() >= limit) break;
            co_await wait_for_change(core->changed(), limit);
            continue;
        }
        auto moves = state->moves;
        read_request what{state->position, core->last_seq(), max_bytes};
        auto step = co_await read_some(core, what, state->wanted, state->hint);
        cancellation = co_await asio::this_coro::cancellation_state;
        if (merge_from > 0 && waiting >= merge_from && step.entries.size() > 1 && !is_cancelled(cancellation)) {
            auto apart = std::move(step.entries);
            step.entries = co_await merge(core, std::move(apart));
            cancellation = co_await asio::this_coro::cancellation_state;
        }
        if (is_cancelled(cancellation)) break;
        if (state->woken || state->moves != moves) continue;
        state->position = step.position;
        state->hint = step.hint;
        if (!step.entries.empty()) {
            state->given = step.entries.back()->seq;
            co_return std::move(step.entries);
        }
        release_unwanted(*state);
    }
    co_return std::vector<shared_entry>();
}

void cursor::set_filter(std::function<bool(const entry&)> wanted) {
    state_->wanted = std::move(wanted);
    ++state_->moves;
}

void cursor::wake() {
    if (!state_->reading) return;
    state_->woken = true;
    state_->core->changed().notify_all();
}

bool cursor::closed() const { return state_->core->ended(); }

std::uint64_t cursor::position() const { return state_->position; }

void cursor::seek(std::uint64_t after_seq) {
    state_->position = state_->given = std::min(after_seq, state_->core->last_seq());
    ++state_->moves;
    if (state_->reading) state_->core->changed().notify_all();
}

void cursor::release(std::uint64_t up_to_seq) {
    if (up_to_seq <= state_->held.released) return;
    state_->held.released = up_to_seq;
    state_->core->claims_changed();
    release_unwanted(*state_);
}

void cursor::hold(bool holding) {
    state_->held.holding = holding;
    state_->core->claims_changed();
}

}  // namespace gateway::sessions
