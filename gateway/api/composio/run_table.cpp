#include "gateway/api/composio/run_table.hpp"

#include <utility>

namespace gateway::api::composio {

namespace {

failure stopping() { return {errc::unavailable, "the gateway is stopping: ask again in a moment"}; }

}  // namespace

awaitable<void> run::wait_for(milliseconds limit) {
    if (!has_ended()) co_await ended_.wait_for(limit);
}

awaitable<result<void>> run::wait() {
    while (!has_ended()) {
        co_await ended_.wait();
        auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) break;
    }
    if (has_ended()) co_return result<void>();
    co_return failure{errc::cancelled, "the client is gone"};
}

void run::finish(tool_outcome what) {
    outcome_ = std::move(what);
    ended_at_ = std::chrono::steady_clock::now();
    ended_.notify_all();
}

// What was given away need not be kept until the next call.
run_watch::~run_watch() {
    if (--of_->watchers_ == 0 && of_->delivered_ && of_->outcome_) of_->outcome_.emplace();
}

shared_watch run_table::begin(const std::string& key, bool is_retry, work what) {
    forget_old();
    if (auto found = find(key, is_retry)) return std::make_shared<run_watch>(std::move(found));
    auto made = std::make_shared<run>(ex_, key);
    auto watch = std::make_shared<run_watch>(made);
    if (stopping_) {
        made->finish(refused_outcome(stopping()));
        return watch;
    }
    runs_.push_back(made);
    made->task_.spawn("tool call", perform(made, std::move(what)));
    return watch;
}

std::shared_ptr<run> run_table::find(const std::string& key, bool is_retry) const {
    if (key.empty()) return nullptr;
    std::shared_ptr<run> other;
    for (const auto& each : runs_) {
        if (each->key_ != key || each->delivered_) continue;
        if (each->watchers_ == 0) return each;
        if (is_retry) other = each;
    }
    return other;
}

void run_table::forget_old() {
    const auto oldest = std::chrono::steady_clock::now() - keep_;
    std::erase_if(runs_, [&](const auto& each) {
        const bool wanted = !each->delivered_ && !each->key_.empty() && each->ended_at_ >= oldest;
        return each->has_ended() && each->watchers_ == 0 && !wanted;
    });
}

// Whatever ends the call, whoever waits for it is told.
awaitable<void> run_table::perform(std::shared_ptr<run> which, work what) {
    struct finisher {
        std::shared_ptr<run> which;
        tool_outcome outcome;
        ~finisher() {
            const bool was_ended = outcome.refused && outcome.refused->code == errc::cancelled;
            which->finish(was_ended && which->stopped_ ? refused_outcome(stopping()) : std::move(outcome));
        }
    };
    finisher now{which, refused_outcome({errc::cancelled, "the call was ended before its tool answered"})};
    now.outcome = co_await what(which);
}

awaitable<void> run_table::stop(milliseconds patience) {
    stopping_ = true;
    const auto until = std::chrono::steady_clock::now() + patience;
    auto all = runs_;
    for (const auto& each : all) {
        each->stopped_ = true;
        if (!each->is_of_session()) each->task_.cancel();
    }
    for (const auto& each : all) {
        auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
        if (each->is_of_session() && left.count() > 0) co_await each->wait_for(left);
    }
    for (const auto& each : all) each->task_.cancel();
    for (const auto& each : all) co_await each->task_.join();
    runs_.clear();
}

}  // namespace gateway::api::composio
