// HTTP/1.1 as a client sees it: a live server on a loopback port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "gateway/base/log.hpp"
#include "gateway/http/router.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void add_routes(router& to, gateway::executor) {
    to.add(plain_route("GET", "/hello", scope::none, [](request&) { return json_response("\"hello\""); }));
    to.add(
        plain_route("GET", "/path/{}", scope::none, [](request& what) { return json_response(what.parameters[0]); }));
    to.add(plain_route("GET", "/whoami", scope::execute,
                       [](request& what) { return json_response(what.caller.user_id + " " + what.remote); }));
    to.add(plain_route("POST", "/size", scope::execute,
                       [](request& what) { return json_response(std::to_string(what.body.size())); }));
    to.add(plain_route("POST", "/make", scope::session, [](request&) { return json_response("{}", 201); }));
    to.add(plain_route("DELETE", "/thing", scope::none, [](request&) { return empty_response(); }));
    to.add(plain_route("GET", "/big", scope::none, [](request&) { return json_response(std::string(8 << 20, 'x')); }));
    to.add(
        plain_route("GET", "/huge", scope::none, [](request&) { return json_response(std::string(64 << 20, 'x')); }));
    to.add(plain_route("GET", "/aborted", scope::none, [](request&) -> response {
        throw boost::system::system_error(boost::asio::error::operation_aborted);
    }));
    to.add(plain_route("GET", "/throw", scope::none,
                       [](request&) -> response { throw std::runtime_error("secret detail"); }));
}

const std::string exec_key = "Authorization: Bearer exec\r\n";

TEST(Http, AnswersAndKeepsTheConnection) {
    live_server server(add_routes);
    client peer(server.port());
    for (int i = 0; i < 3; ++i) {
        auto answer = peer.get("/hello?x=1");
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, "\"hello\"");
        EXPECT_EQ(answer.header("content-type"), "application/json");
        EXPECT_THAT(answer.header("x-request-id"), StartsWith("req_"));
    }
}

TEST(Http, ClosesWhenAskedTo) {
    live_server server(add_routes);
    client peer(server.port());
    EXPECT_EQ(peer.get("/hello", "Connection: close\r\n").header("connection"), "close");
    EXPECT_TRUE(peer.wait_for_close());
    EXPECT_FALSE(peer.was_reset());
}

TEST(Http, AnswersHttp10AndCloses) {
    live_server server(add_routes);
    client peer(server.port());
    peer.send("GET /hello HTTP/1.0\r\n\r\n");
    EXPECT_EQ(peer.read_reply().body, "\"hello\"");
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, AnswersPipelinedRequestsInOrder) {
    live_server server(add_routes);
    client peer(server.port());
    std::string all;
    for (int i = 0; i < 20; ++i) all += "GET /path/" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    peer.send(all);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(peer.read_reply().body, std::to_string(i));
}

TEST(Http, TakesARequestByteByByte) {
    live_server server(add_routes);
    client peer(server.port());
    for (char c : std::string("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 3\r\n\r\nabc"))
        peer.send(std::string(1, c));
    EXPECT_EQ(peer.read_reply().body, "3");
}

TEST(Http, ReadsBodiesOfEitherForm) {
    live_server server(add_routes);
    client peer(server.port());
    EXPECT_EQ(peer.request("POST", "/size", exec_key, std::string(3 << 20, 'x')).body, std::to_string(3 << 20));
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key +
              "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
    EXPECT_EQ(peer.read_reply().body, "5");
    EXPECT_EQ(peer.request("POST", "/size", exec_key).body, "0");
}

TEST(Http, InvitesABodyThatWaitsForIt) {
    live_server server(add_routes);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key +
              "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(peer.read_reply().status, 100);
    peer.send("abc");
    EXPECT_EQ(peer.read_reply().body, "3");
}

TEST(Http, RefusesBeforeABodyIsSent) {
    live_server server(add_routes);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(peer.read_reply().status, 401);
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, RefusesAnAnnouncedBodyOverTheLimit) {
    server_options options;
    options.max_body_bytes = 1000;
    live_server server(add_routes, options);
    client peer(server.port());
    auto answer = peer.request("POST", "/size", exec_key, std::string(1001, 'x'));
    EXPECT_EQ(answer.status, 413);
    EXPECT_THAT(answer.body, HasSubstr("server.max_body_bytes"));
    EXPECT_THAT(answer.body, HasSubstr("1000"));
    EXPECT_EQ(client(server.port()).request("POST", "/size", exec_key, std::string(1000, 'x')).body, "1000");
}

TEST(Http, RefusesAChunkedBodyOverTheLimit) {
    server_options options;
    options.max_body_bytes = 1000;
    live_server server(add_routes, options);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Transfer-Encoding: chunked\r\n\r\n");
    peer.try_send("7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n");
    EXPECT_EQ(peer.read_reply().status, 413);
}

TEST(Http, TellsWhoStillSendsAHugeBodyWhyItIsRefused) {
    server_options options;
    options.max_body_bytes = 1000;
    live_server server(add_routes, options);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 30000000\r\n\r\n");
    peer.try_send(std::string(30'000'000, 'x'));
    EXPECT_EQ(peer.read_reply().status, 413);
}

TEST(Http, RefusesHeadersOverTheLimit) {
    server_options options;
    options.max_header_bytes = 2000;
    live_server server(add_routes, options);
    client peer(server.port());
    auto answer = peer.get("/hello", "X-Long: " + std::string(3000, 'x') + "\r\n");
    EXPECT_EQ(answer.status, 431);
    EXPECT_THAT(answer.body, HasSubstr("server.max_header_bytes"));
}

TEST(Http, SaysWhenTheUrlIsOverTheLimit) {
    server_options options;
    options.max_header_bytes = 2000;
    live_server server(add_routes, options);
    client peer(server.port());
    auto answer = peer.get("/hello?" + std::string(3000, 'x'));
    EXPECT_EQ(answer.status, 414);
    EXPECT_THAT(answer.body, HasSubstr("server.max_header_bytes"));
}

TEST(Http, GivesUpOnABodyThatComesTooSlowly) {
    server_options options;
    options.stall_timeout_s = 1;
    options.min_bytes_per_s = 1000;
    live_server server(add_routes, options);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000\r\n\r\n");
    for (int sent = 0; sent < 100 && peer.try_send("x"); ++sent)
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    auto answer = peer.read_reply();
    EXPECT_EQ(answer.status, 408);
    EXPECT_THAT(answer.body, HasSubstr("server.min_bytes_per_s"));
}

TEST(Http, GivesUpOnAHeaderThatNeverEnds) {
    server_options options;
    options.request_header_timeout_s = 1;
    live_server server(add_routes, options);
    client peer(server.port());
    peer.send("GET /hello HTTP/1.1\r\nHost: loc");
    EXPECT_EQ(peer.read_reply().status, 408);
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, GivesUpOnABodyThatNeverEnds) {
    server_options options;
    options.stall_timeout_s = 1;
    live_server server(add_routes, options);
    client peer(server.port());
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 10\r\n\r\nabc");
    EXPECT_EQ(peer.read_reply().status, 408);
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, GivesUpOnAClientThatDoesNotReadItsAnswer) {
    server_options options;
    options.stall_timeout_s = 1;
    live_server server(add_routes, options);
    client peer(server.port(), 4096);
    peer.send("GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(peer.read_reply(true).status, 200);
    EXPECT_TRUE(server.wait_until_empty());
    EXPECT_ANY_THROW(peer.read_exactly(64 << 20));
}

TEST(Http, ClosesAnIdleConnectionSilently) {
    server_options options;
    options.idle_connection_timeout_s = 1;
    live_server server(add_routes, options);
    client peer(server.port());
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, AnswersWhatIsNoHttpWithA400) {
    live_server server(add_routes);
    for (auto text : {"hello\r\n\r\n", "GET /hello HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
                      "GET /hello HTTP/1.1\r\n\r\n", "GET hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      "GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"}) {
        client peer(server.port());
        peer.send(text);
        auto answer = peer.read_reply();
        EXPECT_EQ(answer.status, 400) << text;
        EXPECT_THAT(answer.body, HasSubstr("invalid_request")) << text;
    }
}

TEST(Http, RefusesWhatTwoReadersWouldReadDifferently) {
    live_server server(add_routes);
    for (auto headers :
         {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
          "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, gzip\r\n", "Content-Length: -1\r\n",
          "Content-Length: 99999999999999999999\r\n", "Content-Length: +5\r\n", "Content-Length: 5, 5\r\n",
          "Content-Length: 5\r\nContent-Length: 5\r\n", "Transfer-Encoding:\r\nContent-Length: 5\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n",
          "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: identity\r\n",
          "Transfer-Encoding: chunked, chunked\r\n", "X: y\r\n Content-Length: 5\r\n", "X: y\nContent-Length: 5\r\n",
          "X: y\rContent-Length: 5\r\n"}) {
        client peer(server.port());
        peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + headers + "\r\n");
        EXPECT_EQ(peer.read_reply().status, 400) << headers;
        EXPECT_TRUE(peer.wait_for_close());
    }
}

TEST(Http, RefusesChunksThatTwoReadersWouldReadDifferently) {
    live_server server(add_routes);
    for (auto body : {"0x3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n",
                      "3\r\nabcd\r\n0\r\n\r\n", "3;a=\"\n\"\r\nabc\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "\r\n"}) {
        client peer(server.port());
        peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Transfer-Encoding: chunked\r\n\r\n" +
                  body);
        EXPECT_EQ(peer.read_reply().status, 400) << body;
        EXPECT_TRUE(peer.wait_for_close());
    }
}

TEST(Http, TakesChunksByteByByte) {
    live_server server(add_routes);
    client peer(server.port());
    for (char c : "POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key +
                      "Transfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nTrailer: x\r\n\r\n")
        peer.send(std::string(1, c));
    EXPECT_EQ(peer.read_reply().body, "3");
    peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Transfer-Encoding: chunked\r\n\r\n");
    for (char c : std::string("0\r\n\r\n")) peer.send(std::string(1, c));
    EXPECT_EQ(peer.read_reply().body, "0");
}

TEST(Http, BoundsWhatStandsBetweenChunks) {
    server_options options;
    options.max_header_bytes = 4000;
    live_server server(add_routes, options);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "1;" + std::string(100, 'x') + "\r\nx\r\n";
    for (const auto& body : {"1;" + std::string(100'000, 'x'), std::string(100'000, '0'), many,
                             "0\r\nTrailer: " + std::string(100'000, 'x')}) {
        client peer(server.port());
        peer.send("POST /size HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Transfer-Encoding: chunked\r\n\r\n");
        peer.try_send(body);
        auto answer = peer.read_reply();
        EXPECT_EQ(answer.status, 413) << body.substr(0, 10);
        EXPECT_THAT(answer.body, HasSubstr("server.max_header_bytes"));
    }
}

TEST(Http, AnswersHeadWithoutABody) {
    live_server server(add_routes);
    client peer(server.port());
    auto answer = peer.request("HEAD", "/hello");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-length"), "7");
    EXPECT_EQ(peer.get("/hello").body, "\"hello\"");
}

TEST(Http, AnswersNoContentAndGoesOn) {
    live_server server(add_routes);
    client peer(server.port());
    EXPECT_EQ(peer.request("DELETE", "/thing").status, 204);
    EXPECT_EQ(peer.get("/hello").status, 200);
}

TEST(Http, RefusesByStatus) {
    live_server server(add_routes);
    client peer(server.port());
    EXPECT_EQ(peer.get("/nothing").status, 404);
    auto not_allowed = peer.request("PATCH", "/hello");
    EXPECT_EQ(not_allowed.status, 405);
    EXPECT_EQ(not_allowed.header("allow"), "GET, HEAD, OPTIONS");
    auto unauthorized = peer.get("/whoami");
    EXPECT_EQ(unauthorized.status, 401);
    EXPECT_EQ(unauthorized.header("www-authenticate"), "Bearer");
    EXPECT_EQ(peer.request("OPTIONS", "/whoami").status, 204);
    EXPECT_EQ(peer.get("/whoami", exec_key).body, "ada 127.0.0.1");
    client other(server.port());
    auto forbidden = other.request("POST", "/make", exec_key);
    EXPECT_EQ(forbidden.status, 403);
    EXPECT_THAT(forbidden.body, HasSubstr("session"));
}

TEST(Http, AnswersAnExceptionWithoutItsText) {
    live_server server(add_routes);
    client peer(server.port());
    auto answer = peer.get("/throw");
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, HasSubstr("internal_error"));
    EXPECT_THAT(answer.body, HasSubstr(answer.header("x-request-id")));
    EXPECT_EQ(answer.body.find("secret"), std::string::npos);
    EXPECT_EQ(client(server.port()).get("/hello").status, 200);
}

TEST(Http, AnswersAHandlerWhoseOwnWorkWasCancelled) {
    live_server server(add_routes);
    EXPECT_EQ(client(server.port()).get("/aborted").status, 500);
}

TEST(Http, LogsEachRequestWithoutQueryAndKey) {
    gateway::log::set_level("debug");
    ::testing::internal::CaptureStderr();
    {
        live_server server(add_routes);
        client peer(server.port());
        EXPECT_EQ(peer.get("/whoami?token=exec&x=secret").status, 200);
        EXPECT_EQ(peer.get("/whoami", "x-api-key: hunter2\r\n").status, 401);
    }
    auto text = ::testing::internal::GetCapturedStderr();
    gateway::log::set_level("info");
    EXPECT_THAT(text, HasSubstr("GET /whoami 200 "));
    EXPECT_THAT(text, HasSubstr("GET /whoami 401 "));
    for (auto secret : {"token", "exec", "secret", "hunter2"}) EXPECT_EQ(text.find(secret), std::string::npos) << text;
}

TEST(Http, SendsALargeAnswerWhole) {
    live_server server(add_routes);
    client peer(server.port());
    EXPECT_EQ(peer.get("/big").body.size(), 8u << 20);
    EXPECT_EQ(peer.get("/hello").status, 200);
}

TEST(Http, ForgetsAClientThatLeaves) {
    live_server server(add_routes);
    { client(server.port()).get("/hello"); }
    EXPECT_TRUE(server.wait_until_empty());
}

TEST(Http, StopsAtOnceWhenEveryConnectionIsIdle) {
    live_server server(add_routes);
    client peer(server.port());
    peer.get("/hello");
    auto begin = std::chrono::steady_clock::now();
    server.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
    EXPECT_TRUE(peer.wait_for_close());
}

TEST(Http, RefusesWhatIsNewWhileItStopsAndKeepsTheConnectionThatIsAnswered) {
    live_server server(add_routes);
    client idle(server.port());
    idle.get("/hello");
    client peer(server.port());
    peer.send("DELETE /thing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhe");
    client third(server.port());
    third.get("/hello");  // by now the request before is being read
    server.refuse_new();
    EXPECT_TRUE(idle.wait_for_close());
    peer.send("llo");
    auto answer = peer.read_reply();
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("restarting"));
    EXPECT_TRUE(peer.wait_for_close());
    EXPECT_THROW(client(server.port()).get("/hello"), std::exception);
    EXPECT_TRUE(server.wait_until_empty());
}

TEST(Http, SaysThatItsPortIsTaken) {
    live_server server(add_routes);
    boost::asio::io_context io;
    router routes;
    table_authenticator keys;
    server_options options;
    options.port = server.port();
    gateway::http::server second(io.get_executor(), options, routes, keys);
    auto listening = second.listen();
    ASSERT_FALSE(listening);
    EXPECT_EQ(listening.error().code, gateway::errc::io_error);
    EXPECT_THAT(listening.error().message, HasSubstr("server.port"));
}

}  // namespace
