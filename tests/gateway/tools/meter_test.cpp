#include "gateway/tools/meter.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/await.hpp"

namespace gateway::tools {
namespace {

using test_support::await;
using test_support::run_until;

struct a_meter : testing::Test {
    asio::io_context io;
    meter of{io.get_executor()};
    std::vector<meter::turn> turns;
    task_group tasks{io.get_executor()};

    result<meter::turn> begin(usage_limits bounds) { return await(io, of.begin(bounds)); }
    awaitable<void> wait_for_turn(usage_limits bounds) {
        auto made = co_await of.begin(bounds);
        if (made) turns.push_back(std::move(*made));
    }
    std::string refusal(usage_limits bounds) {
        auto made = begin(bounds);
        EXPECT_FALSE(made);
        return made ? "" : made.error().message;
    }
};

TEST_F(a_meter, counts_calls_and_tokens) {
    EXPECT_TRUE(begin({}));
    EXPECT_TRUE(begin({}));
    of.add({3, 4});
    of.add({1, 1});
    EXPECT_EQ(of.calls(), 2u);
    EXPECT_EQ(of.tokens(), (token_count{4, 5}));
    EXPECT_EQ(of.running(), 0u);
}

TEST_F(a_meter, refuses_calls_over_the_limit_by_the_settings_name) {
    usage_limits bounds{"search", 2, 0, 0};
    EXPECT_TRUE(begin(bounds));
    EXPECT_TRUE(begin(bounds));
    EXPECT_NE(refusal(bounds).find("search.max_calls_per_session"), std::string::npos);
    EXPECT_EQ(of.calls(), 2u);
}

TEST_F(a_meter, refuses_calls_once_the_tokens_are_used) {
    usage_limits bounds{"llm", 0, 10, 0};
    of.add({9, 0});
    EXPECT_TRUE(begin(bounds));
    of.add({0, 1});
    EXPECT_NE(refusal(bounds).find("llm.max_tokens_per_session"), std::string::npos);
}

TEST_F(a_meter, makes_a_call_wait_for_its_turn) {
    usage_limits bounds{"llm", 0, 0, 2};
    auto first = begin(bounds).value();
    std::optional<meter::turn> second = begin(bounds).value();
    tasks.spawn("third", wait_for_turn(bounds));
    io.poll();
    EXPECT_TRUE(turns.empty());
    EXPECT_EQ(of.running(), 2u);
    second.reset();
    EXPECT_TRUE(run_until(io, [&] { return turns.size() == 1; }));
    EXPECT_EQ(of.running(), 2u);
    turns.clear();
    await(io, tasks.join());
}

TEST_F(a_meter, forgets_a_call_that_is_cancelled_while_it_waits) {
    usage_limits bounds{"llm", 0, 0, 1};
    auto first = begin(bounds).value();
    tasks.spawn("second", wait_for_turn(bounds));
    io.poll();
    tasks.cancel();
    await(io, tasks.join());
    EXPECT_TRUE(turns.empty());
    EXPECT_EQ(of.calls(), 1u);
    EXPECT_EQ(of.running(), 1u);
}

}  // namespace
}  // namespace gateway::tools
