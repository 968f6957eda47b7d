// The small pool for work that would hold the io thread: HMAC and merging over 1 MiB, spill files, file access.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <type_traits>
#include <utility>

#include "gateway/base/async.hpp"

namespace gateway {

// Runs `work` (no coroutine, no access to session state, throws nothing, returns a value) on `pool`, and comes back to
// the caller's executor. A cancelled caller waits for it all the same, and sees its cancellation state afterwards:
// co_spawn on another executor would leave Boost 1.81 a pointer into the caller's cancellation slot, used after it is
// gone.
template <class Work>
auto run_on(asio::thread_pool& pool, Work work) -> awaitable<std::invoke_result_t<Work&>> {
    using answer = std::invoke_result_t<Work&>;
    auto start = [&pool, work = std::move(work)](auto handler) mutable {
        auto home = asio::get_associated_executor(handler);
        // Everything travels to the pool and back, so that nothing of the caller's is ever destroyed there.
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

}  // namespace gateway
