#include "gateway/outbound/threaded_resolver.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <map>

#include "tests/support/await.hpp"

namespace gateway::outbound {
namespace {

using test_support::await;
using test_support::run_until;

struct threaded_resolver : testing::Test {
    asio::thread_pool pool{8};
    asio::io_context io;
    std::map<std::string, std::promise<void>> gates;  // a name is found once its gate is open
    int asked = 0;
    resolver names = make_threaded_resolver(io.get_executor(), pool, 2, [this](const std::string& name) {
        asio::post(io, [this] { ++asked; });
        gates.at(name).get_future().wait();
        return result<addresses>(addresses(1, asio::ip::make_address("1.1.1.1")));
    });
    task_group tasks{io.get_executor()};
    std::vector<std::string> found;

    threaded_resolver() {
        for (const char* each : {"a", "b", "c"}) gates[each];
    }
    void begin(const std::string& name) { tasks.spawn(name, note(name)); }
    awaitable<void> note(std::string name) {
        auto all = co_await names(name);
        if (all) found.push_back(name + " " + all->at(0).to_string());
    }
    bool until(std::function<bool()> so) { return run_until(io, so); }
};

TEST_F(threaded_resolver, one_that_hangs_does_not_hold_up_another) {
    begin("a");
    begin("b");
    ASSERT_TRUE(until([&] { return asked == 2; }));
    gates["b"].set_value();
    EXPECT_TRUE(until([&] { return found.size() == 1; }));
    gates["a"].set_value();
    EXPECT_TRUE(until([&] { return found.size() == 2; }));
    EXPECT_EQ(found, (std::vector<std::string>{"b 1.1.1.1", "a 1.1.1.1"}));
}

TEST_F(threaded_resolver, has_so_many_at_once_and_the_next_when_one_ends) {
    for (const char* each : {"a", "b", "c"}) begin(each);
    ASSERT_TRUE(until([&] { return asked == 2; }));
    io.poll();
    EXPECT_EQ(asked, 2);
    gates["a"].set_value();
    EXPECT_TRUE(until([&] { return asked == 3; }));
    gates["b"].set_value();
    gates["c"].set_value();
    EXPECT_TRUE(until([&] { return found.size() == 3; }));
}

TEST_F(threaded_resolver, one_whose_caller_left_still_has_its_place) {
    begin("a");
    begin("b");
    ASSERT_TRUE(until([&] { return asked == 2; }));
    tasks.cancel();
    await(io, tasks.join());
    auto waiting = await(io, with_timeout(names("c"), milliseconds(20), "waiting"));
    ASSERT_FALSE(waiting);
    EXPECT_EQ(waiting.error().code, errc::timeout);
    EXPECT_EQ(asked, 2);
    for (const char* each : {"a", "b", "c"}) gates[each].set_value();
    begin("c");
    EXPECT_TRUE(until([&] { return found.size() == 1; }));
}

TEST(system_lookup, knows_this_machine_and_no_impossible_name) {
    auto found = system_lookup("localhost");
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_FALSE(found->empty());
    EXPECT_TRUE(found->front().is_loopback());
    auto missing = system_lookup(std::string(300, 'a'));  // no name server is asked for this
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, errc::unavailable);
}

}  // namespace
}  // namespace gateway::outbound
