// Bodies of requests as their handler reads them, and of answers whose length is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gateway/http/router.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using gateway::awaitable;
using gateway::errc;
using ::testing::HasSubstr;

const std::string exec_key = "Authorization: Bearer exec\r\n";

// PUT /count reads all and tells how much; PUT /refuse reads nothing; PUT /slow waits before it reads on.
// GET /short, /exact, /long: sources that give less than, just, and more than the 10 bytes that they announce.
class BodyStreaming : public ::testing::Test {
  protected:
    static route streaming(std::string pattern, handler handle) {
        route made;
        made.method = "PUT";
        made.pattern = std::move(pattern);
        made.needed = scope::execute;
        made.streams_body = true;
        made.handle = std::move(handle);
        return made;
    }

    awaitable<response> count(request& what) {
        std::size_t bytes = 0;
        while (true) {
            auto piece = co_await what.body_pieces();
            if (!piece) {
                failed_with = to_string(piece.error().code);
                failed.tell();
                co_return error_response(piece.error(), error_style::agent, what.id);
            }
            if (!*piece) break;
            largest = std::max(largest.load(), (*piece)->size());
            bytes += (*piece)->size();
            began.tell();
        }
        co_return json_response(std::to_string(bytes) + " of " +
                                (what.announced_bytes ? std::to_string(*what.announced_bytes) : "?"));
    }

    static response announced(std::string text) {
        auto given = std::make_shared<bool>(false);
        response made;
        made.content_length = 10;
        made.body = body_source([given, text]() -> awaitable<std::optional<std::string>> {
            std::optional<std::string> piece;
            if (!std::exchange(*given, true)) piece = text;
            co_return piece;
        });
        return made;
    }

    std::unique_ptr<live_server> start(server_options options = {}) {
        auto routes = [this](router& to, gateway::executor) {
            to.add(streaming("/count", [this](request& what) { return count(what); }));
            to.add(streaming("/refuse", [](request&) -> awaitable<response> { co_return json_response("{}", 412); }));
            to.add(plain_route("GET", "/short", scope::none, [](request&) { return announced("12345"); }));
            to.add(plain_route("GET", "/exact", scope::none, [](request&) { return announced("1234567890"); }));
            to.add(plain_route("GET", "/long", scope::none, [](request&) { return announced("1234567890x"); }));
            auto named = plain_route("GET", "/names/{*}", scope::none,
                                     [](request& what) { return json_response(what.parameters.at(0)); });
            named.any_name = true;
            to.add(std::move(named));
        };
        return std::make_unique<live_server>(routes, options);
    }

    std::atomic<std::size_t> largest = 0;
    std::string failed_with;
    notice began, failed;
};

TEST_F(BodyStreaming, ReadsAnyAmountInPieces) {
    server_options options;
    options.max_body_bytes = 1000;  // of a body that is kept as a whole
    auto server = start(options);
    client peer(server->port());
    EXPECT_EQ(peer.request("PUT", "/count", exec_key + "Content-Length: 0\r\n").body, "0 of 0");
    for (std::size_t size : {1u, 1000u, 20u << 20}) {
        auto answer = peer.request("PUT", "/count", exec_key, std::string(size, 'x'));
        EXPECT_EQ(answer.body, std::to_string(size) + " of " + std::to_string(size));
    }
    EXPECT_LE(largest, 512u << 10);
    EXPECT_GE(largest, 256u << 10);
}

TEST_F(BodyStreaming, ReadsChunksOfAnyForm) {
    auto server = start();
    client peer(server->port());
    peer.send("PUT /count HTTP/1.1\r\nHost: localhost\r\n" + exec_key +
              "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
    EXPECT_EQ(peer.read_reply().body, "5 of ?");
    EXPECT_EQ(peer.request("PUT", "/count", exec_key, "abc").body, "3 of 3");
}

TEST_F(BodyStreaming, InvitesABodyWhenItIsRead) {
    auto server = start();
    client peer(server->port());
    const auto head =
        " HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    peer.send("PUT /count" + head);
    EXPECT_EQ(peer.read_reply().status, 100);
    peer.send("abc");
    EXPECT_EQ(peer.read_reply().body, "3 of 3");
    peer.send("PUT /refuse" + head);
    EXPECT_EQ(peer.read_reply().status, 412) << "without an invitation before";
    EXPECT_TRUE(peer.wait_for_close());
}

TEST_F(BodyStreaming, AnswersAndEndsTheConnectionWhenTheBodyIsLeftUnread) {
    auto server = start();
    client peer(server->port());
    peer.send("PUT /refuse HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000000\r\n\r\nabc");
    auto answer = peer.read_reply();
    EXPECT_EQ(answer.status, 412);
    EXPECT_EQ(answer.header("connection"), "close");
}

TEST_F(BodyStreaming, TellsTheHandlerThatTheClientIsGone) {
    auto server = start();
    {
        client peer(server->port());
        peer.send("PUT /count HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000000\r\n\r\nabc");
    }
    ASSERT_TRUE(failed.wait());
    EXPECT_EQ(failed_with, "peer_gone");
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(BodyStreaming, EndsWithASilentClient) {
    server_options options;
    options.stall_timeout_s = 1;
    auto server = start(options);
    client peer(server->port());
    peer.send("PUT /count HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000000\r\n\r\nabc");
    EXPECT_THAT(peer.read_reply().body, HasSubstr("timeout"));
}

TEST_F(BodyStreaming, TellsTheHandlerThatChunksAreBroken) {
    auto server = start();
    client peer(server->port());
    peer.send("PUT /count HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
    EXPECT_THAT(peer.read_reply().body, HasSubstr("invalid_request"));
}

TEST_F(BodyStreaming, EndsWithItsKey) {
    auto server = start();
    client peer(server->port());
    peer.send("PUT /count HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000000\r\n\r\n" +
              std::string(400 << 10, 'x'));
    ASSERT_TRUE(began.wait());
    server->close_key("key_exec");
    ASSERT_TRUE(failed.wait());
    EXPECT_EQ(failed_with, "unauthorized");
}

// More than the kernel's buffers hold cannot be sent to a handler that does not read; at its end it is cut.
TEST_F(BodyStreaming, TakesNoMoreThanIsRead) {
    notice entered;
    auto routes = [&](router& to, gateway::executor ex) {
        to.add(streaming("/held", [&entered, ex](request& what) -> awaitable<response> {
            auto first = co_await what.body_pieces();
            entered.tell();
            gateway::event never(ex);
            co_await never.wait();
            co_return json_response(first ? "{}" : "[]");
        }));
    };
    live_server server(routes);
    client peer(server.port());
    peer.send("PUT /held HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "Content-Length: 1000000000\r\n\r\n");
    bool took_all = true;
    std::thread writer([&] { took_all = peer.try_send(std::string(64 << 20, 'x')); });
    EXPECT_TRUE(entered.wait());
    server.stop();
    writer.join();
    EXPECT_FALSE(took_all);
}

TEST_F(BodyStreaming, SendsAKnownLengthWithoutChunksAndKeepsTheConnection) {
    auto server = start();
    client peer(server->port());
    for (int i = 0; i < 2; ++i) {
        auto answer = peer.get("/exact");
        EXPECT_EQ(answer.header("content-length"), "10");
        EXPECT_EQ(answer.header("transfer-encoding"), "");
        EXPECT_EQ(answer.body, "1234567890");
    }
    auto head = peer.request("HEAD", "/exact");
    EXPECT_EQ(head.header("content-length"), "10");
    EXPECT_EQ(peer.get("/exact").status, 200);
}

TEST_F(BodyStreaming, CutsAnAnswerThatIsNotAsLongAsItSays) {
    auto server = start();
    for (const char* path : {"/short", "/long"}) {
        client peer(server->port());
        peer.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_EQ(peer.read_reply(true).header("content-length"), "10");
        if (path == std::string("/short")) peer.read_exactly(5);
        EXPECT_TRUE(peer.wait_for_close());
        EXPECT_TRUE(peer.was_reset());
    }
}

TEST_F(BodyStreaming, TakesAnyNameWhereARouteEndsInOne) {
    auto server = start();
    client peer(server->port());
    EXPECT_EQ(peer.get("/names/a%0Ab%22").body, "a\nb\"");
    EXPECT_EQ(peer.get("/short%0A").status, 400);
    for (const char* path : {"/names/..", "/names/%2e%2e/x", "/names/a%2F..%2Fb", "/names/%c0%ae%c0%ae"})
        EXPECT_EQ(peer.get(path).status, 400) << path;
}

}  // namespace
