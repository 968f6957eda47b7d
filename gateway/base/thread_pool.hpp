// The small pool for work that would hold the io thread: HMAC and merging over 1 MiB, spill files, file access.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "gateway/base/async.hpp"

namespace gateway {

// Runs `work` (no coroutine, no access to session state) on `pool`, and comes back to the caller's executor.
template <class Work>
auto run_on(asio::thread_pool& pool, Work work) -> awaitable<std::invoke_result_t<Work&>> {
    // `work` lives in this frame, which outlives the task: the spawned coroutine only refers to it.
    auto task = [](Work& todo) -> awaitable<std::invoke_result_t<Work&>> { co_return todo(); };
    co_return co_await asio::co_spawn(pool, task(work), asio::use_awaitable);
}

}  // namespace gateway
