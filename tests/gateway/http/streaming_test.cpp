// Streamed bodies: at once, chunked, and no longer than the client is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "gateway/http/router.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using gateway::awaitable;

// GET /pieces: three pieces, the second empty. GET /wait: one piece, then waits to be cancelled. GET /fail: throws
// after one.
class Streaming : public ::testing::Test {
  protected:
    static response stream_of(body_source source) {
        response made;
        made.content_type = "text/plain";
        made.body = std::move(source);
        return made;
    }

    void add_routes(router& to, gateway::executor ex) {
        auto never = std::make_shared<gateway::event>(ex);
        to.add(plain_route("GET", "/pieces", scope::none, [](request&) { return stream_of(three_pieces()); }));
        to.add(
            plain_route("GET", "/wait", scope::execute, [this, never](request&) { return stream_of(endless(never)); }));
        to.add(plain_route("GET", "/fail", scope::none, [](request&) { return stream_of(failing()); }));
        to.add(plain_route("GET", "/flood", scope::none, [](request&) { return stream_of(flood()); }));
    }

    static body_source three_pieces() {
        auto count = std::make_shared<int>(0);
        return [count]() -> awaitable<std::optional<std::string>> {
            static const std::string pieces[] = {"one", "", "three"};
            if (*count == 3) co_return std::nullopt;
            co_return pieces[(*count)++];
        };
    }

    body_source endless(std::shared_ptr<gateway::event> never) {
        struct told_at_end {
            notice& what;
            ~told_at_end() { what.tell(); }
        };
        auto first = std::make_shared<bool>(true);
        return [this, first, never]() -> awaitable<std::optional<std::string>> {
            if (std::exchange(*first, false)) co_return "first";
            told_at_end guard{cancelled};
            waiting.tell();
            co_await never->wait();
            co_await never->wait();  // throws: the first was cancelled
            co_return std::nullopt;
        };
    }

    static body_source failing() {
        auto first = std::make_shared<bool>(true);
        return [first]() -> awaitable<std::optional<std::string>> {
            if (!std::exchange(*first, false)) throw std::runtime_error("the source failed");
            co_return "first";
        };
    }

    static body_source flood() {
        return []() -> awaitable<std::optional<std::string>> { co_return std::string(1 << 20, 'x'); };
    }

    std::unique_ptr<live_server> start(server_options options = {}) {
        auto routes = [this](router& to, gateway::executor ex) { add_routes(to, ex); };
        return std::make_unique<live_server>(routes, options);
    }

    notice waiting, cancelled;
};

const std::string exec_key = "Authorization: Bearer exec\r\n";

TEST_F(Streaming, SendsPiecesAsChunksAndKeepsTheConnection) {
    auto server = start();
    client peer(server->port());
    for (int i = 0; i < 2; ++i) {
        auto answer = peer.get("/pieces");
        EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
        EXPECT_EQ(answer.body, "onethree");
    }
}

TEST_F(Streaming, EndsAnHttp10StreamWithTheConnection) {
    auto server = start();
    client peer(server->port());
    peer.send("GET /pieces HTTP/1.0\r\n\r\n");
    auto answer = peer.read_reply();
    EXPECT_EQ(answer.header("transfer-encoding"), "");
    EXPECT_EQ(answer.body, "onethree");
}

TEST_F(Streaming, SendsHeadersBeforeTheFirstPieceAndEachPieceAtOnce) {
    auto server = start();
    client peer(server->port());
    peer.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "\r\n");
    EXPECT_EQ(peer.read_reply(true).status, 200);
    EXPECT_EQ(peer.read_line(), "5");
    EXPECT_EQ(peer.read_line(), "first");
}

TEST_F(Streaming, CancelsTheSourceWhenTheClientLeaves) {
    auto server = start();
    {
        client peer(server->port());
        peer.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "\r\n");
        ASSERT_TRUE(waiting.wait());
    }
    EXPECT_TRUE(cancelled.wait());
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(Streaming, CancelsTheSourceOfAPipeliningClientThatLeaves) {
    auto server = start();
    {
        client peer(server->port());
        peer.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "\r\nGET /pieces HTTP/1.1\r\n");
        ASSERT_TRUE(waiting.wait());
    }
    EXPECT_TRUE(cancelled.wait());
}

TEST_F(Streaming, KeepsWhatAClientSendsMeanwhileForTheNextRequest) {
    auto server = start();
    client peer(server->port());
    std::string all;
    for (int i = 0; i < 5; ++i) all += "GET /pieces HTTP/1.1\r\nHost: localhost\r\n\r\n";
    peer.send(all);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(peer.read_reply().body, "onethree");
}

TEST_F(Streaming, CutsAStreamWhoseSourceFails) {
    auto server = start();
    client peer(server->port());
    peer.send("GET /fail HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(peer.read_reply(true).status, 200);
    EXPECT_EQ(peer.read_line(), "5");
    EXPECT_EQ(peer.read_line(), "first");
    EXPECT_TRUE(peer.wait_for_close());
    EXPECT_TRUE(peer.was_reset());
}

TEST_F(Streaming, CutsAStreamThatNobodyReads) {
    server_options options;
    options.stall_timeout_s = 1;
    auto server = start(options);
    client peer(server->port(), 4096);
    peer.send("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(peer.read_reply(true).status, 200);
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(Streaming, EndsWithItsKey) {
    auto server = start();
    client peer(server->port());
    peer.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "\r\n");
    ASSERT_TRUE(waiting.wait());
    server->close_key("key_exec");
    EXPECT_TRUE(cancelled.wait());
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(Streaming, EndsWithTheServer) {
    auto server = start();
    client peer(server->port());
    peer.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n" + exec_key + "\r\n");
    ASSERT_TRUE(waiting.wait());
    server->stop();
    EXPECT_TRUE(cancelled.wait());
}

TEST_F(Streaming, RunsNoSourceForHead) {
    auto server = start();
    client peer(server->port());
    EXPECT_EQ(peer.request("HEAD", "/pieces").status, 200);
    EXPECT_EQ(peer.get("/pieces").body, "onethree");
}

}  // namespace
