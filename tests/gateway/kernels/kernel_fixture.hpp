// Verbs for tests of a kernel: an io thread, a fake launcher, and a listener that writes down what it is told.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/kernels/kernel.hpp"
#include "tests/gateway/kernels/fake_launcher.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {

// "idle", "restarting crashed", "stream", "execute_reply", … in the order of arrival.
class recording_listener final : public kernel_listener {
  public:
    void on_message(messaging::shared_message what) override;
    void on_state(kernel_state state, end_reason reason) override;
    std::size_t count(const std::string& what) const;

    std::vector<std::string> events;
    std::vector<messaging::shared_message> messages;
    std::function<void(const std::string&)> then;  // called after each
};

class kernel_fixture : public testing::Test {
  protected:
    kernel_fixture();
    ~kernel_fixture() override;

    kernel_options options(const std::string& language = "x");
    kernel& make(kernel_options what);
    kernel& make() { return make(options()); }
    // Ready, or the test fails.
    kernel& start(kernel_options what);
    kernel& start() { return start(options()); }

    template <class T>
    T run(awaitable<T> what) {
        auto outcome = std::make_shared<std::optional<T>>();  // outlives us when the time is over
        asio::co_spawn(io, std::move(what), [outcome](std::exception_ptr error, T value) {
            EXPECT_FALSE(error);
            outcome->emplace(std::move(value));
        });
        EXPECT_TRUE(test_support::run_until(io, [&] { return outcome->has_value(); }));
        return *outcome ? std::move(**outcome) : T(failure{errc::internal_error, "the test's time is over"});
    }
    void run(awaitable<void> what);
    template <class Condition>
    bool until(Condition condition) {
        return test_support::run_until(io, condition);
    }
    // Everything that is ready to run now.
    void settle() {
        io.restart();
        while (io.poll()) io.restart();
    }
    bool until_event(const std::string& what, std::size_t count = 1) {
        return until([&, count] { return listener.count(what) >= count; });
    }
    // A client's request; answers its msg_id.
    std::string execute(kernel& target, const std::string& code);

    test_support::temporary_directory root;
    asio::io_context io;
    fake_launcher processes{io.get_executor()};
    kernel_environment shared{io.get_executor(), processes, root.path(), {}, {}, {}, {}, {}, {}};
    recording_listener listener;
    std::vector<std::unique_ptr<kernel>> kernels;
};

}  // namespace gateway::kernels
