#include "tests/gateway/egress/proxy_fixture.hpp"

namespace gateway::egress {
namespace {

struct proxy_http : proxy_fixture {
    proxy_http() { start(); }

    std::string get(const std::string& more = "") const {
        return "GET http://" + at("a.test") + "/x?y=1 HTTP/1.1\r\nHost: " + at("a.test") + "\r\n" + more + "\r\n";
    }
    std::string post(const std::string& more, const std::string& body) const {
        return "POST http://" + at("a.test") + "/ HTTP/1.1\r\nHost: " + at("a.test") + "\r\n" + more + "\r\n" + body;
    }
    // A request that the server has whole.
    program reached(const std::string& request, const std::string& end = "\r\n\r\n") {
        auto peers = server.peers.size();
        auto client = open();
        client.send(request);
        EXPECT_TRUE(until([&] { return server.peers.size() > peers && last_peer().received.ends_with(end); }));
        return client;
    }
    std::string refused(const std::string& request) {
        auto answer = open().send(request).read_rest();
        return answer.substr(9, 3) + " " + code_in(answer);
    }
};

TEST_F(proxy_http, forwards_a_request_and_its_answer) {
    auto client =
        reached(get("X-A: b\r\nProxy-Connection: keep-alive\r\nConnection: x-b\r\nX-B: c\r\nTE: x\r\n"
                    "Proxy-Authorization: secret\r\n"));
    EXPECT_EQ(last_peer().received,
              "GET /x?y=1 HTTP/1.1\r\nHost: " + at("a.test") + "\r\nX-A: b\r\nConnection: close\r\n\r\n");
    server_sends("HTTP/1.1 200 OK\r\nX-C: d\r\nKeep-Alive: timeout=5\r\nContent-Length: 5\r\n\r\nhelloIGNORED");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 200 OK\r\nX-C: d\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
    EXPECT_EQ(made->counted().all().bytes_out, last_peer().received.size());
}

TEST_F(proxy_http, hosts_and_addresses_are_judged_as_for_connect) {
    EXPECT_EQ(refused("GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n"), "403 host_not_allowed");
    EXPECT_EQ(refused("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"), "403 port_not_allowed");
    EXPECT_EQ(refused("GET http://0x7f.1/ HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n"), "400 invalid_request");
    names["a.test"] = {"169.254.169.254"};
    EXPECT_EQ(refused(get()), "403 address_refused");
    EXPECT_TRUE(server.peers.empty());
}

TEST_F(proxy_http, a_forged_host_is_refused) {
    auto uri = "GET http://" + at("a.test") + "/ HTTP/1.1\r\n";
    for (const std::string& each : {std::string("b.test"), at("b.test"), std::string("a.test"), at("x.a.test"),
                                    at("a.test") + "/", at("a.test") + ", b.test"})
        EXPECT_EQ(refused(uri + "Host: " + each + "\r\n\r\n"), "403 host_header_mismatch") << each;
    EXPECT_EQ(refused(uri + "\r\n"), "400 invalid_request");
    EXPECT_EQ(refused(uri + "Host: " + at("a.test") + "\r\nHost: b.test\r\n\r\n"), "400 invalid_request");
    EXPECT_EQ(refused(uri + "Host: " + at("a.test") + "\r\nhost: " + at("a.test") + "\r\n\r\n"), "400 invalid_request");
    EXPECT_TRUE(server.peers.empty());
    reached(uri + "HOST: " + at("A.TEST.") + "\r\n\r\n");
}

TEST_F(proxy_http, only_one_request_goes_over_a_connection) {
    auto client = reached(post("Content-Length: 4\r\n", "body") + get("X-Second: 1\r\n"), "body");
    settle();
    EXPECT_TRUE(last_peer().received.ends_with("Content-Length: 4\r\nConnection: close\r\n\r\nbody"));
    server_sends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(server.peers.size(), 1u);
}

TEST_F(proxy_http, chunks_are_framed_anew) {
    auto client = reached(
        post("Transfer-Encoding: Chunked\r\n", "3;ext=\"x\"\r\nabc\r\n2\r\nde\r\n0\r\nX-T: 1\r\n\r\n"), "0\r\n\r\n");
    EXPECT_TRUE(last_peer().received.ends_with(
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"));
    server_sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\nX-T: 1\r\n\r\nIGNORED");
    EXPECT_EQ(client.read_rest(),
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nxyz\r\n0\r\n\r\n");
}

TEST_F(proxy_http, what_could_be_taken_in_two_ways_is_refused) {
    for (const std::string& each :
         {post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
          post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), post("Content-Length: 3, 3\r\n", "abc"),
          post("Content-Length: +3\r\n", "abc"), post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
          post("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "0\r\n\r\n"),
          post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), post("X-A: b\r\n c\r\n", ""),
          post("X-A: b\nX-C: d\r\n", ""), post("X-A: b\rX-C: d\r\n", ""), post(std::string("X-A: \0\r\n", 8), "")})
        EXPECT_EQ(refused(each), "400 invalid_request") << each;
    EXPECT_TRUE(server.peers.empty());
}

TEST_F(proxy_http, a_malformed_chunk_ends_the_connection) {
    for (const char* each : {"3\r\nabcd\r\n0\r\n\r\n", "x\r\n", "-1\r\n", "3\nabc\r\n", "1000000000000000\r\n"}) {
        auto client = open();
        EXPECT_EQ(client.send(post("Transfer-Encoding: chunked\r\n", each)).read_rest(), "") << each;
        EXPECT_TRUE(until([&] { return last_peer().ended; }));
    }
}

TEST_F(proxy_http, a_body_that_breaks_off_is_not_ended_for_the_client) {
    auto client = open();
    client.send(post("Content-Length: 100\r\n", "abc")).end_sending();
    EXPECT_EQ(client.read_rest(), "");
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
}

TEST_F(proxy_http, other_requests_are_no_proxy_s) {
    for (const char* each :
         {"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET file:///etc/passwd HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET http://me:x@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n", "\r\n\r\n",
          "GET http://a.test/\r\n\r\n", "GET http:///x HTTP/1.1\r\nHost:\r\n\r\n", "CONNECT a.test HTTP/1.1\r\n\r\n",
          "CONNECT a.test:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\n", "\x16\x03\x01\r\n\r\n"})
        EXPECT_EQ(refused(each), "400 invalid_request") << each;
}

TEST_F(proxy_http, an_answer_until_the_end_of_the_connection_is_whole) {
    auto client = reached(get());
    server_sends("HTTP/1.1 200 OK\r\n\r\n" + std::string(300'000, 'x'));
    settle();
    server_ends();
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(300'000, 'x'));
}

TEST_F(proxy_http, interim_answers_are_passed_on) {
    auto client = reached(post("Expect: 100-continue\r\nContent-Length: 4\r\n", ""));
    server_sends("HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(client.read_head(), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    EXPECT_TRUE(until([&] { return last_peer().received.ends_with("body"); }));
    server_sends("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST_F(proxy_http, an_answer_that_cannot_be_judged_is_a_502) {
    for (const std::string& each :
         {std::string("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), std::string("SSH-2.0-x\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\n\r\n"), std::string(40'000, 'x')}) {
        auto client = reached(get());
        server_sends(each);
        EXPECT_EQ(client.read_rest().substr(0, 12), "HTTP/1.1 502") << each.substr(0, 100);
    }
}

TEST_F(proxy_http, an_answer_to_head_has_no_body) {
    auto client = reached("HEAD http://" + at("a.test") + " HTTP/1.1\r\nHost: " + at("a.test") + "\r\n\r\n");
    EXPECT_EQ(last_peer().received.substr(0, 17), "HEAD / HTTP/1.1\r\n");
    server_sends("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n");
}

TEST_F(proxy_http, a_client_of_http_1_0_gets_no_chunks_and_no_interim_answers) {
    auto client = reached("GET http://" + at("a.test") + "/ HTTP/1.0\r\n\r\n");
    EXPECT_EQ(last_peer().received, "GET / HTTP/1.0\r\nHost: " + at("a.test") + "\r\nConnection: close\r\n\r\n");
    server_sends(
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcde");
}

TEST_F(proxy_http, an_answer_that_breaks_off_ends_the_connection_early) {
    auto client = reached(get());
    server_sends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    settle();
    server_ends();
    EXPECT_TRUE(client.read_rest().ends_with("\r\n\r\nabc"));
}

TEST_F(proxy_http, an_answer_before_the_body_was_sent_arrives) {
    auto client = reached(post("Content-Length: 1000000\r\n", "abc"), "abc");
    server_sends("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    EXPECT_EQ(client.read_rest(), "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
}

TEST_F(proxy_http, an_answer_of_a_server_that_takes_no_more_arrives_whole) {
    auto client = reached(post("Content-Length: 10000000\r\n", "abc"), "abc");
    server_sends("HTTP/1.1 413 Too Large\r\nContent-Length: 270000\r\n\r\n" + std::string(270'000, 'x'));
    settle();  // more than the client's socket holds, less than with a buffer besides
    last_peer().socket.close();
    for (int count = 0; count < 3; ++count) {
        client.send("more");
        settle();
    }
    auto answer = client.read_rest();
    EXPECT_TRUE(answer.ends_with("\r\n\r\n" + std::string(270'000, 'x'))) << answer.size();
}

TEST_F(proxy_http, a_client_that_leaves_before_the_answer_ends_the_connection) {
    auto client = reached(get());
    client.close();
    EXPECT_TRUE(until([&] { return last_peer().ended && made->connections() == 0; }));
}

TEST_F(proxy_http, the_ceiling_stops_an_answer_at_the_byte) {
    auto client = reached(get());
    auto by = made->current_policy();
    by.max_bytes = made->counted().total() + 50;
    made->set_policy(by);
    server_sends("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + std::string(500, 'x'));
    EXPECT_EQ(client.read_rest().size(), 50u);
    EXPECT_EQ(made->counted().total(), *by.max_bytes);
    EXPECT_EQ(refused(get()), "403 bytes_used_up");
}

TEST_F(proxy_http, a_head_has_a_greatest_size_and_a_time) {
    auto answer = open().send("GET http://a.test/" + std::string(40'000, 'x')).read_rest();
    EXPECT_EQ(answer.substr(9, 3) + " " + code_in(answer), "431 too_large");
    EXPECT_NE(answer.find("network.max_head_bytes (32768)"), std::string::npos);
}

TEST_F(proxy_http, a_head_that_does_not_come_is_a_408) {
    test_support::await(io, made->stop());
    how.head_timeout = milliseconds(50);
    start();
    auto answer = open().send("GET http://a.test/ HTTP/1.1\r\n").read_rest();
    EXPECT_EQ(answer.substr(9, 3), "408");
    EXPECT_NE(answer.find("network.head_timeout_s"), std::string::npos);
}

}  // namespace
}  // namespace gateway::egress
