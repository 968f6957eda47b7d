// The coroutine vocabulary of the gateway: a wait that ends (with_timeout), a wake-up (event), and an owner for
// spawned work (task_group). Everything here lives on the one io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <type_traits>

#include "gateway/base/result.hpp"

namespace gateway {

namespace asio = boost::asio;

template <class T = void>
using awaitable = asio::awaitable<T>;

using executor = asio::any_io_executor;
using std::chrono::milliseconds;

// Sleeps; returns false when the caller was cancelled.
awaitable<bool> sleep_for(milliseconds duration);

// A level that can be set and waited for by any number of coroutines. notify_all() wakes those that wait now.
class event {
  public:
    explicit event(executor ex);
    void notify_all();
    // Returns after the next notify_all(), or when `limit` has passed, or when the caller is cancelled.
    awaitable<void> wait();
    awaitable<void> wait_for(milliseconds limit);

  private:
    asio::steady_timer timer_;
};

// Owns spawned coroutines: the owner must `co_await join()` (or have cancelled and drained) before it goes.
// An exception that leaves a task is logged with the task's name; it never ends the process.
class task_group {
  public:
    explicit task_group(executor ex);
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;
    ~task_group();

    void spawn(std::string name, awaitable<void> task);
    void cancel();
    awaitable<void> join();
    std::size_t size() const;

  private:
    struct state;
    std::shared_ptr<state> state_;
};

namespace detail {
// Cancels `signal` at the deadline or when the awaiting coroutine is cancelled; `expired` tells which.
struct deadline_state {
    explicit deadline_state(executor ex) : timer(std::move(ex)) {}
    asio::steady_timer timer;
    asio::cancellation_signal signal;
    bool expired = false;
    bool done = false;
};
std::shared_ptr<deadline_state> start_deadline(executor ex, asio::cancellation_slot parent, milliseconds limit);
void end_deadline(deadline_state& state, asio::cancellation_slot parent);
}  // namespace detail

// Runs `operation`; past `limit` it is cancelled, awaited, and the answer is errc::timeout with `what` in the message.
// The operation must end soon when it is cancelled; it may do so by an exception.
template <class T>
awaitable<result<T>> with_timeout(awaitable<result<T>> operation, milliseconds limit, std::string what) {
    auto ex = co_await asio::this_coro::executor;
    asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    asio::cancellation_slot parent = cancellation.slot();
    auto state = detail::start_deadline(ex, parent, limit);
    result<T> answer = failure{errc::timeout, what + " took longer than " + std::to_string(limit.count()) + " ms"};
    try {
        auto token = asio::bind_cancellation_slot(state->signal.slot(), asio::use_awaitable);
        auto outcome = co_await asio::co_spawn(ex, std::move(operation), token);
        if (!state->expired || outcome) answer = std::move(outcome);
    } catch (const boost::system::system_error& error) {
        if (!state->expired) {
            detail::end_deadline(*state, parent);
            throw;
        }
    }
    detail::end_deadline(*state, parent);
    co_return answer;
}

}  // namespace gateway
