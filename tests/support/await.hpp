// Runs a coroutine in a test's io_context and gives its result; a hang fails the test instead of stopping it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <stdexcept>

#include "gateway/base/async.hpp"
#include "tests/support/run_until.hpp"

namespace test_support {

template <class T>
T await(boost::asio::io_context& io, gateway::awaitable<T> what,
        std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    std::optional<T> answer;
    std::exception_ptr failed;
    bool done = false;
    boost::asio::co_spawn(io, std::move(what), [&](std::exception_ptr error, T value) {
        failed = error;
        answer.emplace(std::move(value));
        done = true;
    });
    if (!run_until(
            io, [&] { return done; }, limit))
        throw std::runtime_error("the coroutine did not end in time");
    if (failed) std::rethrow_exception(failed);
    return std::move(*answer);
}

inline void await(boost::asio::io_context& io, gateway::awaitable<void> what,
                  std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    auto flagged = [](gateway::awaitable<void> inner) -> gateway::awaitable<bool> {
        co_await std::move(inner);
        co_return true;
    };
    await(io, flagged(std::move(what)), limit);
}

}  // namespace test_support
