#include "tests/gateway/egress/proxy_fixture.hpp"

namespace gateway::egress {
namespace {

using proxy_tunnel = proxy_fixture;

// Whose place in a stream can be told from what it is.
std::string pattern(std::size_t size) {
    std::string made(size, '\0');
    for (std::size_t at = 0; at < size; ++at) made[at] = static_cast<char>(at * 2654435761u >> 13);
    return made;
}

TEST_F(proxy_tunnel, a_client_that_ends_its_half_still_reads) {
    start();
    auto client = tunnel("a.test");
    client.end_sending();
    EXPECT_TRUE(until([&] { return last_peer().ended; }));
    server_sends("late answer");
    EXPECT_EQ(client.read(11), "late answer");
    server_ends();
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_TRUE(until([&] { return made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_server_that_ends_its_half_still_reads) {
    start();
    auto client = tunnel("a.test");
    server_sends("bye");
    settle();
    server_ends();
    EXPECT_EQ(client.read_rest(), "bye");
    client.send("late request");
    EXPECT_TRUE(until([&] { return last_peer().received.ends_with("late request"); }));
    EXPECT_FALSE(last_peer().ended);
    client.close();
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_client_that_is_gone_ends_the_connection) {
    start();
    auto client = tunnel("a.test");
    client.close();
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_slow_reader_slows_the_server_and_loses_nothing) {
    start();
    auto client = tunnel("a.test");
    auto sent = pattern(16u << 20);
    server_sends(sent);
    settle();
    // What the socket holds, and one buffer.
    EXPECT_GT(made->counted().all().bytes_in, 0u);
    EXPECT_LT(made->counted().all().bytes_in, 1u << 20);
    EXPECT_TRUE(client.read(sent.size()) == sent);
}

TEST_F(proxy_tunnel, a_slow_server_slows_the_client_and_loses_nothing) {
    start();
    server.reads = false;
    auto client = open();
    client.send(connect_to(at("a.test"))).read_head();
    auto sent = hello_for("a.test") + pattern(32u << 20);
    task_group sender(io.get_executor());
    bool all_sent = false;
    auto write = [&]() -> awaitable<void> {
        co_await client.write(sent);
        all_sent = true;
    };
    sender.spawn("send", write());
    settle();
    EXPECT_FALSE(all_sent);
    auto taken = made->counted().all().bytes_out;
    EXPECT_LT(taken, 16u << 20);  // what the kernel keeps for a TCP connection
    server.start_reading(server.peers.back());
    EXPECT_TRUE(until([&] { return last_peer().received.size() == sent.size(); }));
    EXPECT_TRUE(last_peer().received == sent);
    test_support::await(io, sender.join());
}

TEST_F(proxy_tunnel, the_ceiling_stops_what_comes_in_at_the_byte) {
    auto hello = hello_for("a.test");
    auto by = allow(rule("a.test"));
    by.max_bytes = hello.size() + 100'000;
    start(by);
    auto client = tunnel("a.test");
    auto sent = pattern(300'000);
    server_sends(sent);
    EXPECT_TRUE(client.read_rest() == sent.substr(0, 100'000));
    EXPECT_EQ(made->counted().total(), *by.max_bytes);
    EXPECT_EQ(told, (std::vector<std::string>{"used up " + std::to_string(*by.max_bytes)}));
    EXPECT_TRUE(until([&] { return made->connections() == 0; }));
    EXPECT_EQ(asked(at("a.test")), "403 bytes_used_up");
}

TEST_F(proxy_tunnel, the_ceiling_stops_what_goes_out_at_the_byte) {
    auto hello = hello_for("a.test");
    auto by = allow(rule("a.test"));
    by.max_bytes = hello.size() + 1000;
    start(by);
    auto client = tunnel("a.test");
    client.send(pattern(5000));
    EXPECT_TRUE(until([&] { return last_peer().ended; }));
    EXPECT_TRUE(last_peer().received == hello + pattern(5000).substr(0, 1000));
    EXPECT_EQ(made->counted().total(), *by.max_bytes);
}

TEST_F(proxy_tunnel, the_ceiling_ends_the_session_s_other_connections) {
    auto hello = hello_for("a.test");
    auto by = allow(rule("a.test"));
    by.max_bytes = 2 * hello.size() + 10;
    start(by);
    auto idle = tunnel("a.test");
    auto other = server.peers.back();
    auto busy = tunnel("a.test");
    server_sends("0123456789abc");
    EXPECT_EQ(busy.read_rest(), "0123456789");
    EXPECT_EQ(idle.read_rest(), "");
    EXPECT_TRUE(until([&] { return other->ended && made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_hello_over_the_ceiling_is_not_sent_whole) {
    auto hello = hello_for("a.test");
    auto by = allow(rule("a.test"));
    by.max_bytes = hello.size() - 1;
    start(by);
    auto client = open();
    client.send(connect_to(at("a.test"))).read_head();
    EXPECT_EQ(client.send(hello).read_rest(), "");
    EXPECT_TRUE(until([&] { return last_peer().ended; }));
    EXPECT_EQ(last_peer().received, hello.substr(0, hello.size() - 1));
}

TEST_F(proxy_tunnel, what_was_counted_is_delivered_also_to_a_slow_reader) {
    auto by = allow(rule("a.test"));
    by.max_bytes = 700'000;
    start(by);
    auto client = tunnel("a.test");
    auto sent = pattern(2u << 20);
    server_sends(sent);
    settle();
    auto counted_in = made->counted().all().bytes_in;
    ASSERT_LT(counted_in, 600'000u);
    client.send(pattern(700'000 - counted_in));
    EXPECT_TRUE(until([&] { return last_peer().ended; }));
    EXPECT_TRUE(client.read_rest() == sent.substr(0, made->counted().all().bytes_in));
    EXPECT_EQ(made->counted().total(), 700'000u);
}

TEST_F(proxy_tunnel, one_that_begins_as_the_ceiling_is_reached_ends) {
    auto by = allow(rule("a.test"));
    by.max_bytes = 10'000;
    start(by);
    auto late = open();
    late.send(connect_to(at("a.test"))).read_head();
    auto first = server.peers.back();
    auto busy = tunnel("a.test");
    server_sends(pattern(10'000));
    busy.read_rest();
    EXPECT_EQ(late.send(hello_for("a.test")).read_rest(), "");
    EXPECT_TRUE(until([&] { return first->ended && made->connections() == 0; }));
    EXPECT_EQ(first->received, "");
}

TEST_F(proxy_tunnel, a_ceiling_that_is_lowered_stops_what_runs_and_one_that_is_raised_lets_begin) {
    start();
    auto client = tunnel("a.test");
    auto by = allow(rule("a.test"));
    by.max_bytes = 1;
    made->set_policy(by);
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_EQ(asked(at("a.test")), "403 bytes_used_up");
    by.max_bytes = 1'000'000;
    made->set_policy(by);
    tunnel("a.test");
}

TEST_F(proxy_tunnel, a_change_of_the_policy_ends_what_it_no_longer_allows) {
    start(allow(rule("a.test") + "," + rule("b.test")));
    auto ends = tunnel("a.test");
    auto first = server.peers.back();
    auto stays = tunnel("b.test");
    made->set_policy(allow(rule("b.test")));
    EXPECT_EQ(ends.read_rest(), "");
    EXPECT_TRUE(until([&] { return first->ended; }));
    server_sends("still here");
    EXPECT_EQ(stays.read(10), "still here");
    EXPECT_EQ(told, (std::vector<std::string>{"a.test host_not_allowed"}));
    made->set_policy({});
    EXPECT_EQ(stays.read_rest(), "");
    EXPECT_EQ(told.back(), "b.test network_off");
    EXPECT_TRUE(until([&] { return made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_hidden_name_ends_with_mode_all) {
    start(policy_of(R"({"mode":"all"})"));
    auto hidden = tunnel("a.test", records(hello_message(server_name("x.test") + extension(0xfe0d, "x"))));
    auto plain = tunnel("a.test");
    made->set_policy(allow(rule("a.test")));
    EXPECT_EQ(hidden.read_rest(), "");
    EXPECT_EQ(told, (std::vector<std::string>{"a.test encrypted_client_hello"}));
    server_sends("still here");
    EXPECT_EQ(plain.read(10), "still here");
}

TEST_F(proxy_tunnel, a_policy_that_changes_before_the_hello_counts) {
    start();
    auto client = open();
    client.send(connect_to(at("a.test"))).read_head();
    made->set_policy(allow(rule("b.test")));
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_EQ(told, (std::vector<std::string>{"a.test host_not_allowed"}));
}

TEST_F(proxy_tunnel, one_without_a_byte_ends) {
    how.idle_timeout = milliseconds(100);
    start();
    auto client = tunnel("a.test");
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
}

TEST_F(proxy_tunnel, a_reader_that_takes_nothing_is_idle) {
    how.idle_timeout = milliseconds(200);
    start();
    auto client = tunnel("a.test");
    server_sends(pattern(16u << 20));
    EXPECT_TRUE(until([&] { return made->connections() == 0; }));
}

TEST_F(proxy_tunnel, connections_over_the_limit_are_told_its_name) {
    how.max_connections = 2;
    start();
    auto first = tunnel("a.test");
    auto second = tunnel("a.test");
    auto answer = open().send(connect_to(at("a.test"))).read_rest();
    EXPECT_EQ(answer.substr(9, 3), "503");
    EXPECT_NE(answer.find("network.max_connections (2)"), std::string::npos) << answer;
    first.close();
    EXPECT_TRUE(until([&] { return made->connections() == 1; }));
    tunnel("a.test");
}

TEST_F(proxy_tunnel, connections_far_over_the_limit_are_closed_unread) {
    how.max_connections = 2;
    start();
    std::vector<program> all;
    for (int count = 0; count < 100; ++count) all.push_back(open());
    settle();
    EXPECT_EQ(made->connections(), 18u);
    EXPECT_EQ(all.back().read_rest(), "");
}

TEST_F(proxy_tunnel, stop_ends_everything) {
    start();
    auto client = tunnel("a.test");
    auto waiting = open();
    settle();
    test_support::await(io, made->stop());
    EXPECT_EQ(made->connections(), 0u);
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_EQ(waiting.read_rest(), "");
    EXPECT_TRUE(until([&] { return last_peer().ended; }));
}

TEST_F(proxy_tunnel, a_look_up_that_hangs_ends_at_its_limit_and_with_the_proxy) {
    how.connect_timeout = milliseconds(50);
    how.names = [this](std::string) -> awaitable<result<outbound::addresses>> {
        asio::steady_timer never(io, asio::steady_timer::time_point::max());
        (void)co_await never.async_wait(as_tuple);
        co_return failure{errc::cancelled, ""};
    };
    start();
    auto answer = open().send(connect_to(at("a.test"))).read_rest();
    EXPECT_EQ(answer.substr(9, 3) + " " + code_in(answer), "504 timeout");
    EXPECT_NE(answer.find("network.connect_timeout_s"), std::string::npos) << answer;
    auto client = open();
    client.send(connect_to(at("a.test")));
    settle();
    test_support::await(io, made->stop());
    EXPECT_EQ(made->connections(), 0u);
}

TEST_F(proxy_tunnel, another_listener_takes_over_and_the_counts_go_on) {
    start();
    auto first = tunnel("a.test");
    const auto before = made->counted().all().bytes_out;
    made->serve(listener(directory.path() + "/second.sock"));
    settle();
    EXPECT_THROW(open(), boost::system::system_error);  // nobody listens there any more
    program second(io, directory.path() + "/second.sock");
    EXPECT_EQ(second.send(connect_to(at("a.test"))).read_head().substr(0, 12), "HTTP/1.1 200");
    second.send(hello_for("a.test"));
    EXPECT_TRUE(until([&] { return made->counted().all().bytes_out == 2 * before; }));
    EXPECT_EQ(made->connections(), 2u);
    made->close_listener();
    settle();
    EXPECT_THROW(program(io, directory.path() + "/second.sock"), boost::system::system_error);
}

}  // namespace
}  // namespace gateway::egress
