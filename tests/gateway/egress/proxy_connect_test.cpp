#include <boost/asio/ip/udp.hpp>

#include "gateway/egress/own_address.hpp"
#include "tests/gateway/egress/proxy_fixture.hpp"

namespace gateway::egress {
namespace {

using proxy_connect = proxy_fixture;

const std::string alert = "\x15\x03\x01" + std::string("\x00\x02\x02\x31", 4);

TEST_F(proxy_connect, carries_tls_both_ways) {
    start();
    auto client = tunnel("a.test");
    client.send("more");
    server_sends("answer");
    EXPECT_EQ(client.read(6), "answer");
    EXPECT_TRUE(until([&] { return last_peer().received == hello_for("a.test") + "more"; }));
    EXPECT_EQ(made->counted().all().bytes_in, 6u);
    EXPECT_EQ(made->counted().all().bytes_out, hello_for("a.test").size() + 4);
    EXPECT_EQ(made->counted().destinations().rows.at(at("a.test")).connections, 1u);
}

TEST_F(proxy_connect, a_hello_may_come_byte_by_byte_and_with_the_request) {
    start();
    auto hello = records(hello_message(server_name("A.test")), 40);
    auto client = open();
    client.send(connect_to(at("a.test")) + hello.substr(0, 1)).read_head();
    for (char byte : hello.substr(1)) {
        EXPECT_TRUE(last_peer().received.empty());
        client.send(std::string(1, byte));
    }
    EXPECT_TRUE(until([&] { return last_peer().received == hello; }));
}

TEST_F(proxy_connect, nothing_is_sent_for_a_hello_that_is_refused) {
    how.max_hello_bytes = 16u << 10;
    start();
    auto padded = hello_message(extension(21, std::string(65000, '\0')) + server_name("a.test"));
    const std::pair<std::string, std::string> table[] = {
        {hello_for("b.test"), "server_name_mismatch"},
        {hello_for("a.test."), "server_name_mismatch"},
        {records(hello_message("")), "server_name_missing"},
        {records(hello_message(server_name("a.test") + extension(0xfe0d, "x"))), "encrypted_client_hello"},
        {records(padded), "malformed_hello"},
        {"\x16\x03\x01" + number(4, 2) + "\x02" + number(0, 3), "malformed_hello"},
        {"SSH-2.0-OpenSSH\r\n", "not_tls"},
        {"GET / HTTP/1.1\r\nHost: b.test\r\n\r\n", "not_tls"},
    };
    for (const auto& [hello, why] : table) {
        auto client = open();
        ASSERT_EQ(client.send(connect_to(at("a.test"))).read_head().substr(9, 3), "200");
        EXPECT_EQ(client.send(hello).read_rest(), why == "not_tls" ? "" : alert) << why;
        EXPECT_TRUE(until([&] { return last_peer().ended; }));
        EXPECT_EQ(last_peer().received, "") << why;
        const auto& row = made->counted().denied().rows.at(at("a.test"));
        EXPECT_EQ(to_string(row.why), why);
    }
    EXPECT_EQ(made->counted().denied().rows.at(at("a.test")).count, std::size(table));
    EXPECT_EQ(made->counted().total(), 0u);
    EXPECT_TRUE(until([&] { return made->connections() == 0; }));
}

TEST_F(proxy_connect, mode_all_takes_a_hidden_name_and_still_tls_only) {
    start(policy_of(R"({"mode":"all"})"));
    tunnel("a.test", records(hello_message(server_name("public.test") + extension(0xfe0d, "x"))));
    auto client = open();
    client.send(connect_to(at("a.test"))).read_head();
    EXPECT_EQ(client.send("SSH-2.0-x\r\n").read_rest(), "");
    EXPECT_EQ(told.back(), "a.test not_tls");
}

TEST_F(proxy_connect, a_client_that_waits_for_the_server_to_speak_is_ended) {
    how.head_timeout = milliseconds(50);
    start();
    auto client = open();
    client.send(connect_to(at("a.test"))).read_head();
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_EQ(told.back(), "a.test not_tls");
}

TEST_F(proxy_connect, hosts_and_ports_are_those_of_the_policy) {
    names["x.wild.test"] = names["wild.test"] = names["evil-wild.test"] = names["a.test"];
    start(allow(rule("a.test") + "," + rule("*.wild.test")));
    EXPECT_EQ(asked("a.test:443"), "403 port_not_allowed");
    for (const char* each : {"b.test", "wild.test", "evil-wild.test", "evilwild.test", "a.test.evil.test"})
        EXPECT_EQ(asked(at(each)), "403 host_not_allowed") << each;
    EXPECT_TRUE(looked_up.empty());
    for (const char* each : {"A.TEST", "a.test.", "x.wild.test"}) {
        auto client = open();
        EXPECT_EQ(client.send(connect_to(at(each))).read_head().substr(9, 3), "200") << each;
    }
    EXPECT_EQ(looked_up, (std::vector<std::string>{"a.test", "a.test", "x.wild.test"}));
}

TEST_F(proxy_connect, with_network_off_nothing_is_looked_up) {
    start({});
    EXPECT_EQ(asked(at("a.test")), "403 network_off");
    EXPECT_EQ(asked("127.0.0.1:443"), "403 network_off");
    EXPECT_TRUE(looked_up.empty());
    EXPECT_TRUE(server.peers.empty());
}

TEST_F(proxy_connect, a_refusal_says_why_in_the_reason_and_in_the_body) {
    start();
    auto answer = open().send(connect_to("evil.test:443")).read_rest();
    EXPECT_EQ(answer.substr(0, answer.find("\r\n")),
              "HTTP/1.1 403 evil.test:443: no rule of the session's network policy allows this host");
    auto body = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")));
    EXPECT_EQ(body["error"]["code"], "host_not_allowed");
    EXPECT_EQ(body["error"]["request_id"].get<std::string>().substr(0, 4), "req_");
}

TEST_F(proxy_connect, other_spellings_of_an_address_are_no_hosts) {
    how.reach.loopback = false;
    start(policy_of(R"({"mode":"all"})"));
    for (const char* each : {"2130706433:443", "0x7f000001:443", "0177.0.0.1:443", "127.1:443", "127.0.0.01:443",
                             "[::ffff:127.0.0.1]:443", "[::ffff:a9fe:a9fe]:443", "169.254.169.254.:443", "a.test"})
        EXPECT_EQ(asked(each), "400 invalid_request") << each;
    for (const char* each : {"127.0.0.1:443", "169.254.169.254:443", "100.100.100.200:443", "10.0.0.1:443",
                             "[fd00:ec2::254]:443", "[64:ff9b::a9fe:a9fe]:443", "[2002:a9fe:a9fe::1]:443", "[::1]:443",
                             "[fe80::1]:443", "0.0.0.0:443", "224.0.0.1:443"})
        EXPECT_EQ(asked(each), "403 address_refused") << each;
}

TEST_F(proxy_connect, an_address_needs_its_network_in_the_list) {
    start(allow(rule("127.0.0.0/8", "cidr")));
    auto client = tunnel("127.0.0.1", records(hello_message("")));
    EXPECT_EQ(asked("10.0.0.1:443"), "403 host_not_allowed");
    EXPECT_EQ(asked("127.0.0.1:1"), "403 port_not_allowed");
    EXPECT_EQ(asked(at("a.test")), "403 host_not_allowed");
    auto named = open();
    named.send(connect_to(at("127.0.0.1"))).read_head();
    EXPECT_EQ(named.send(hello_for("a.test")).read_rest(), alert);
}

TEST_F(proxy_connect, a_listed_private_network_is_still_the_operators_to_open) {
    start(allow(rule("10.0.0.0/8", "cidr") + "," + rule("169.254.169.254", "cidr")));
    EXPECT_EQ(asked(at("10.0.0.1")), "403 address_refused");
    EXPECT_EQ(asked(at("169.254.169.254")), "403 address_refused");
}

TEST_F(proxy_connect, a_name_that_means_another_address_the_second_time_is_checked_again) {
    names["a.test"] = {"127.0.0.1", "169.254.169.254", "10.0.0.1"};
    start();
    tunnel("a.test");
    EXPECT_EQ(looked_up.size(), 1u);
    EXPECT_EQ(asked(at("a.test")), "403 address_refused");
    EXPECT_EQ(asked(at("a.test")), "403 address_refused");
    EXPECT_EQ(server.peers.size(), 1u);
}

TEST_F(proxy_connect, of_several_addresses_only_those_that_may_be_reached_are_tried) {
    names["a.test"] = {"10.0.0.1|169.254.169.254|127.0.0.1"};
    start();
    tunnel("a.test");
    names["a.test"] = {"10.0.0.1|fd00:ec2::254"};
    EXPECT_EQ(asked(at("a.test")), "403 address_refused");
}

// What this machine would send from to `there`, if connections to that address are not refused anyway.
std::optional<asio::ip::address> own_address(const outbound::address_policy& reach, const char* there) {
    asio::io_context io;
    asio::ip::udp::endpoint target(asio::ip::make_address(there), 9);
    boost::system::error_code ec;
    asio::ip::udp::socket probe(io);
    probe.open(target.protocol(), ec);
    if (!ec) probe.connect(target, ec);  // sends nothing
    if (ec) return std::nullopt;
    auto own = probe.local_endpoint(ec).address();
    return own.is_loopback() || !outbound::check(reach, own) ? std::nullopt : std::optional(own);
}

TEST_F(proxy_connect, an_address_of_this_machine_is_refused_unless_it_is_named) {
    EXPECT_TRUE(is_own_address(asio::ip::make_address("127.0.0.1")));
    EXPECT_TRUE(is_own_address(asio::ip::make_address("::ffff:127.0.0.1")));
    EXPECT_FALSE(is_own_address(asio::ip::make_address("198.51.100.7")));
    EXPECT_FALSE(is_own_address(asio::ip::make_address("2001:db8::1")));
    how.reach.private_networks = true;
    auto own = own_address(how.reach, "198.51.100.7");
    if (!own) own = own_address(how.reach, "2001:db8::7");
    if (!own) GTEST_SKIP() << "this machine has no address that could be reached";
    auto literal = (destination{own->to_string(), 1, *own}).text();
    names["a.test"] = {own->to_string()};
    start(policy_of(R"({"mode":"all"})"));
    EXPECT_EQ(asked("a.test:1"), "403 address_refused");
    EXPECT_EQ(asked(literal), "403 address_refused");
    test_support::await(io, made->stop());
    how.reach.named = {*outbound::parse_network(own->to_string())};
    start(policy_of(R"({"mode":"all"})"));
    EXPECT_EQ(asked("a.test:1"), "502 unavailable");
}

TEST_F(proxy_connect, a_host_that_cannot_be_reached_is_a_502) {
    start(policy_of(R"({"mode":"all"})"));
    EXPECT_EQ(asked("nothing.test:443"), "502 unavailable");
    EXPECT_EQ(asked("a.test:1"), "502 unavailable");
    names["a.test"] = {""};
    EXPECT_EQ(asked("a.test:443"), "502 unavailable");
    EXPECT_TRUE(made->counted().denied().rows.empty());
}

TEST_F(proxy_connect, another_host_header_than_the_target_is_refused) {
    start();
    auto answer = open().send("CONNECT " + at("a.test") + " HTTP/1.1\r\nHost: b.test\r\n\r\n").read_rest();
    EXPECT_EQ(code_in(answer), "host_header_mismatch");
    for (const std::string& each :
         {std::string(), std::string("Host: A.test.\r\n"), "Host: " + at("a.test") + "\r\n"}) {
        auto client = open();
        auto head = client.send("CONNECT " + at("a.test") + " HTTP/1.0\r\n" + each + "\r\n").read_head();
        EXPECT_EQ(head.substr(9, 3), "200") << each;
    }
}

TEST_F(proxy_connect, thousands_of_refused_hosts_are_a_bounded_table) {
    how.max_destinations = 20;
    start();
    for (int count = 0; count < 1000; ++count)
        EXPECT_EQ(asked("h" + std::to_string(count) + ".evil.test:443"), "403 host_not_allowed");
    EXPECT_EQ(made->counted().denied().rows.size(), 20u);
    EXPECT_EQ(made->counted().denied().others.count, 980u);
    EXPECT_EQ(told.size(), 21u);
}

}  // namespace
}  // namespace gateway::egress
