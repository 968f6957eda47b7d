// Runs an io_context until something is so: an event with a deadline instead of a sleep.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace test_support {

template <class Condition>
bool run_until(boost::asio::io_context& io, Condition condition,
               std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        auto left = end - std::chrono::steady_clock::now();
        if (left <= left.zero()) return false;
        io.restart();
        io.run_one_for(left);
    }
    return true;
}

}  // namespace test_support
