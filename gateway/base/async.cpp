#include "gateway/base/async.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <exception>

#include "gateway/base/log.hpp"

namespace gateway {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

}  // namespace

awaitable<bool> sleep_for(milliseconds duration) {
    asio::steady_timer timer(co_await asio::this_coro::executor, duration);
    auto [ec] = co_await timer.async_wait(tuple_awaitable);
    co_return !ec;
}

event::event(executor ex) : timer_(std::move(ex), asio::steady_timer::time_point::max()) {}

void event::notify_all() { timer_.cancel(); }

awaitable<void> event::wait() { (void)co_await timer_.async_wait(tuple_awaitable); }

awaitable<void> event::wait_for(milliseconds limit) {
    auto ex = co_await asio::this_coro::executor;
    asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    asio::cancellation_slot parent = cancellation.slot();
    auto state = detail::start_deadline(ex, parent, limit);
    auto token = asio::bind_cancellation_slot(state->signal.slot(), tuple_awaitable);
    (void)co_await timer_.async_wait(token);
    detail::end_deadline(*state, parent);
}

struct task_group::state {
    explicit state(executor ex) : ex(ex), drained(ex) {}
    executor ex;
    event drained;
    std::list<asio::cancellation_signal> tasks;
};

task_group::task_group(executor ex) : state_(std::make_shared<state>(std::move(ex))) {}

task_group::~task_group() { cancel(); }

void task_group::spawn(std::string name, awaitable<void> task) {
    auto owner = state_;
    auto signal = owner->tasks.emplace(owner->tasks.end());
    auto finished = [owner, signal, name = std::move(name)](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const boost::system::system_error& failed) {
            if (failed.code() != asio::error::operation_aborted) log::error("{}: {}", name, failed.what());
        } catch (const std::exception& failed) {
            log::error("{}: {}", name, failed.what());
        }
        // A cancel() from outside of the io thread is still on its way to the signal: it goes after that.
        auto ended = std::make_shared<std::list<asio::cancellation_signal>>();
        ended->splice(ended->end(), owner->tasks, signal);
        asio::post(owner->ex, [ended] {});
        if (owner->tasks.empty()) owner->drained.notify_all();
    };
    asio::co_spawn(owner->ex, std::move(task), asio::bind_cancellation_slot(signal->slot(), std::move(finished)));
}

void task_group::cancel() {
    // Emitting may end a task at once and erase it from the list: step past it first.
    for (auto each = state_->tasks.begin(); each != state_->tasks.end();) (each++)->emit(asio::cancellation_type::all);
}

awaitable<void> task_group::join() {
    auto state = state_;
    while (!state->tasks.empty()) co_await state->drained.wait_for(milliseconds(1000));
}

std::size_t task_group::size() const { return state_->tasks.size(); }

namespace detail {

std::shared_ptr<deadline_state> start_deadline(executor ex, asio::cancellation_slot parent, milliseconds limit) {
    auto state = std::make_shared<deadline_state>(std::move(ex));
    state->timer.expires_after(limit);
    state->timer.async_wait([state](boost::system::error_code ec) {
        if (ec || state->done) return;
        state->expired = true;
        state->signal.emit(asio::cancellation_type::all);
    });
    if (parent.is_connected())
        parent.assign([state](asio::cancellation_type type) {
            if (!state->done) state->signal.emit(type);
        });
    return state;
}

void end_deadline(deadline_state& state, asio::cancellation_slot parent) {
    state.done = true;
    state.timer.cancel();
    if (parent.is_connected()) parent.clear();
}

}  // namespace detail

}  // namespace gateway
