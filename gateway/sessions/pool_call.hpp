// Work on the pool that a cancelled caller still waits for, so that nothing is lost between the two threads: unlike
// run_on() it never throws for a cancellation. The caller looks at its cancellation state afterwards.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <utility>

#include "gateway/base/async.hpp"

namespace gateway::sessions {

// `work` returns a value and does not throw.
template <class Work>
auto call_on(asio::thread_pool& pool, Work work) -> awaitable<std::invoke_result_t<Work&>> {
    using answer = std::invoke_result_t<Work&>;
    auto start = [&pool, work = std::move(work)](auto handler) mutable {
        auto home = asio::get_associated_executor(handler);
        auto job = [work = std::move(work), handler = std::move(handler), guard = asio::make_work_guard(home),
                    home]() mutable {
            auto back = [handler = std::move(handler), value = work()]() mutable {
                std::move(handler)(std::move(value));
            };
            asio::post(home, std::move(back));
        };
        asio::post(pool, std::move(job));
    };
    using token = const asio::use_awaitable_t<>;
    co_return co_await asio::async_initiate<token, void(answer)>(std::move(start), asio::use_awaitable);
}

}  // namespace gateway::sessions
