// WebSockets as a client sees them.
#include "gateway/http/websocket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "gateway/http/router.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using gateway::awaitable;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string exec_key = "Authorization: Bearer exec\r\n";

class WebSocket : public ::testing::Test {
  protected:
    // WS /echo for anybody, WS /guarded for keys, and WS /with for one test's own handler.
    void start(server_options options = {}, websocket_handler handler = echo) {
        auto routes = [handler](router& to, gateway::executor) {
            to.add(socket_route("/echo", scope::none, echo));
            to.add(socket_route("/guarded", scope::execute, echo));
            to.add(socket_route("/with", scope::none, handler));
        };
        server = std::make_unique<live_server>(routes, options);
    }
    std::unique_ptr<client> connect(const std::string& path = "/echo", const std::string& headers = {}) {
        auto peer = std::make_unique<client>(server->port());
        EXPECT_EQ(peer->upgrade(path, headers).status, 101);
        return peer;
    }

    std::unique_ptr<live_server> server;
};

TEST_F(WebSocket, EchoesTextAndBinary) {
    start();
    auto peer = connect();
    peer->send_frame(text_frame, "gr\xC3\xBC\xC3\x9F");
    auto text = peer->read_frame();
    EXPECT_EQ(text.opcode, text_frame);
    EXPECT_EQ(text.payload, "gr\xC3\xBC\xC3\x9F");
    peer->send_frame(binary_frame, std::string("\xff\0\xfe", 3));
    EXPECT_EQ(peer->read_frame().opcode, binary_frame);
    peer->send_frame(text_frame, "");
    EXPECT_EQ(peer->read_frame().payload, "");
}

TEST_F(WebSocket, EchoesOneMessageOf64Megabytes) {
    start();
    auto peer = connect();
    std::string big(64 << 20, 'x');
    big[12345] = 'y';
    peer->send_frame(binary_frame, big);
    auto back = peer->read_frame();
    EXPECT_TRUE(back.payload == big);
}

TEST_F(WebSocket, JoinsFragments) {
    start();
    auto peer = connect();
    peer->send_frame(text_frame, "one ", false);
    peer->send_frame(ping_frame, "still there?");
    peer->send_frame(0, "two ", false);
    peer->send_frame(0, "three");
    EXPECT_EQ(peer->read_frame().opcode, pong_frame);
    EXPECT_EQ(peer->read_frame().payload, "one two three");
}

TEST_F(WebSocket, SendsManyPartsAsOneFrame) {
    auto handler = [](const request&, websocket& socket) -> awaitable<void> {
        std::string one(100'000, 'a'), two = "b", three(200'000, 'c');
        std::vector<boost::asio::const_buffer> parts = {boost::asio::buffer(one), boost::asio::buffer(two),
                                                        boost::asio::buffer(three)};
        auto sent = co_await socket.write(true, std::move(parts));
        (void)sent;
        auto end = co_await socket.read();
        (void)end;
    };
    start({}, handler);
    auto peer = connect("/with");
    EXPECT_EQ(peer->read_frame().payload, std::string(100'000, 'a') + "b" + std::string(200'000, 'c'));
}

TEST_F(WebSocket, ClosesAMessageOverTheLimitAndSaysWhy) {
    server_options options;
    options.ws_max_message_bytes = 1000;
    gateway::errc seen{};
    notice done;
    auto handler = [&](const request&, websocket& socket) -> awaitable<void> {
        auto message = co_await socket.read();
        if (!message) seen = message.error().code;
        done.tell();
    };
    start(options, handler);
    auto peer = connect("/with");
    peer->send_frame(binary_frame, std::string(5'000'000, 'x'));
    auto close = peer->read_frame();
    EXPECT_EQ(close.close_code(), 1009);
    EXPECT_EQ(close.close_reason(), "message over 1000 bytes: raise server.ws_max_message_bytes");
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(seen, gateway::errc::too_large);
    peer->send_close(1009);
    EXPECT_TRUE(peer->wait_for_close());
    EXPECT_FALSE(peer->was_reset());
}

TEST_F(WebSocket, SaysWhyAlsoWhenItsHandlerGivesUpOnTheConnection) {
    server_options options;
    options.ws_max_message_bytes = 1000;
    auto handler = [](const request&, websocket& socket) -> awaitable<void> {
        auto message = co_await socket.read();
        if (!message) socket.abort();
    };
    start(options, handler);
    auto peer = connect("/with");
    peer->send_frame(binary_frame, std::string(20'000'000, 'x'));
    EXPECT_EQ(peer->read_frame().close_code(), 1009);
    peer->send_close(1009);
    EXPECT_TRUE(peer->wait_for_close());
    EXPECT_FALSE(peer->was_reset());
}

TEST_F(WebSocket, CountsOverFragmentsAndTakesTheLimitItself) {
    server_options options;
    options.ws_max_message_bytes = 1000;
    start(options);
    auto peer = connect();
    peer->send_frame(text_frame, std::string(1000, 'x'));
    EXPECT_EQ(peer->read_frame().payload.size(), 1000u);
    for (int i = 0; i < 11; ++i) peer->send_frame(i == 0 ? text_frame : 0, std::string(100, 'x'), false);
    EXPECT_EQ(peer->read_frame().close_code(), 1009);
}

TEST_F(WebSocket, BelievesNoAnnouncedLength) {
    start();
    auto peer = connect();
    peer->send(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0abc", 17));
    peer->send_close(1000);
    peer->shutdown_send();
    EXPECT_TRUE(peer->wait_for_close());
}

TEST_F(WebSocket, RefusesTextThatIsNoUtf8) {
    start();
    auto peer = connect();
    peer->send_frame(text_frame, "\xc0\xaf");
    EXPECT_EQ(peer->read_frame().close_code(), 1007);
}

TEST_F(WebSocket, RefusesTextWhoseEmptyLastFrameLeavesHalfACharacter) {
    start();
    auto peer = connect();
    peer->send_frame(text_frame, "a\xc3\xa4", false);
    peer->send_frame(0, "");
    EXPECT_EQ(peer->read_frame().payload, "a\xc3\xa4");
    peer->send_frame(text_frame, "a\xc3", false);
    peer->send_frame(0, "");
    EXPECT_EQ(peer->read_frame().close_code(), 1007);
}

TEST_F(WebSocket, AnswersACloseWithItsCode) {
    start();
    auto peer = connect();
    peer->send_close(1001);
    EXPECT_EQ(peer->read_frame().close_code(), 1001);
    EXPECT_TRUE(peer->wait_for_close());
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(WebSocket, ChoosesASubprotocol) {
    start();
    auto offer = [&](const std::string& offered) {
        client peer(server->port());
        auto answer = peer.upgrade("/guarded", exec_key + "Sec-WebSocket-Protocol: " + offered + "\r\n");
        EXPECT_EQ(answer.status, 101);
        return answer.header("sec-websocket-protocol");
    };
    EXPECT_EQ(offer("v1.kernel.websocket.jupyter.org"), "v1.kernel.websocket.jupyter.org");
    EXPECT_EQ(offer("other, v1.kernel.websocket.jupyter.org"), "v1.kernel.websocket.jupyter.org");
    EXPECT_EQ(offer("other"), "");
    EXPECT_EQ(offer("v1.token.websocket.jupyter.org, v1.token.websocket.jupyter.org.exec"),
              "v1.token.websocket.jupyter.org");
    EXPECT_EQ(
        offer("v1.token.websocket.jupyter.org, v1.token.websocket.jupyter.org.exec, v1.kernel.websocket.jupyter.org"),
        "v1.kernel.websocket.jupyter.org");
}

TEST_F(WebSocket, TakesAKeyFromEveryPlace) {
    start();
    EXPECT_EQ(client(server->port()).upgrade("/guarded").status, 401);
    EXPECT_EQ(client(server->port()).upgrade("/guarded?token=wrong").status, 401);
    EXPECT_EQ(client(server->port()).upgrade("/guarded?token=exec").status, 101);
    EXPECT_EQ(client(server->port()).upgrade("/guarded", "x-api-key: exec\r\n").status, 101);
    EXPECT_EQ(client(server->port())
                  .upgrade("/guarded", "Sec-WebSocket-Protocol: v1.token.websocket.jupyter.org.exec\r\n")
                  .status,
              101);
}

TEST_F(WebSocket, RefusesAnImproperHandshake) {
    start();
    client peer(server->port());
    auto answer = peer.get("/echo", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n");
    EXPECT_EQ(answer.status, 426);
    EXPECT_EQ(answer.header("sec-websocket-version"), "13");
    EXPECT_EQ(peer.get("/echo").status, 426);
    EXPECT_EQ(peer.upgrade("/echo", "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(peer.upgrade("/nothing").status, 404);
    EXPECT_EQ(peer.upgrade("/echo").status, 101);
    EXPECT_EQ(client(server->port()).upgrade("/echo", "Content-Length: 5\r\n").status, 400);
}

TEST_F(WebSocket, KeepsFramesThatCameWithTheHandshake) {
    start();
    client peer(server->port());
    peer.send(std::string("GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n") +
              std::string("\x81\x82\0\0\0\0hi", 8));
    auto answer = peer.read_reply();
    EXPECT_EQ(answer.status, 101);
    EXPECT_EQ(answer.header("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_THAT(answer.header("x-request-id"), StartsWith("req_"));
    EXPECT_EQ(peer.read_frame().payload, "hi");
}

TEST_F(WebSocket, TellsPongs) {
    std::string seen;
    notice done;
    auto handler = [&](const request&, websocket& socket) -> awaitable<void> {
        socket.on_pong([&](std::string_view payload) {
            seen = payload;
            done.tell();
        });
        auto sent = co_await socket.ping("seq 42");
        (void)sent;
        auto end = co_await socket.read();
        (void)end;
    };
    start({}, handler);
    auto peer = connect("/with");
    auto ping = peer->read_frame();
    EXPECT_EQ(ping.opcode, ping_frame);
    peer->send_frame(pong_frame, ping.payload);
    ASSERT_TRUE(done.wait());
    EXPECT_EQ(seen, "seq 42");
}

TEST_F(WebSocket, PingsAnIdlePeerAndKeepsOneThatAnswers) {
    server_options options;
    options.ws_ping_interval_s = 1;
    start(options);
    auto peer = connect();
    for (int i = 0; i < 3; ++i) {
        auto ping = peer->read_frame();
        ASSERT_EQ(ping.opcode, ping_frame);
        peer->send_frame(pong_frame, ping.payload);
    }
    peer->send_frame(text_frame, "here");
    EXPECT_EQ(peer->read_frame().payload, "here");
}

TEST_F(WebSocket, CutsAPeerThatAnswersNoPingWithinTwoIntervals) {
    server_options options;
    options.ws_ping_interval_s = 1;
    start(options);
    auto peer = connect();
    auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(peer->read_frame().opcode, ping_frame);
    EXPECT_TRUE(peer->wait_for_close());
    EXPECT_TRUE(peer->was_reset());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2600));
    EXPECT_TRUE(server->wait_until_empty());
}

TEST_F(WebSocket, KeepsAPeerThatDoesNotReadAndLosesNothing) {
    server_options options;
    options.ws_ping_interval_s = 1;
    constexpr std::size_t total = 32 << 20;
    notice ended;
    auto handler = [&](const request&, websocket& socket) -> awaitable<void> {
        std::string big(total, 'x');
        std::vector<boost::asio::const_buffer> parts = {boost::asio::buffer(big)};
        auto sent = co_await socket.write(true, std::move(parts));
        ended.tell();
        (void)sent;
        auto end = co_await socket.read();
        (void)end;
    };
    start(options, handler);
    client peer(server->port(), 4096);
    EXPECT_EQ(peer.upgrade("/with").status, 101);
    EXPECT_FALSE(ended.wait(std::chrono::milliseconds(3500)));  // more than three intervals
    EXPECT_EQ(peer.read_frame().payload.size(), total);
}

TEST_F(WebSocket, ClosesForARestart) {
    start();
    auto peer = connect();
    std::thread stopping([&] { server->stop(); });
    auto close = peer->read_frame();
    EXPECT_EQ(close.close_code(), 1012);
    EXPECT_EQ(close.close_reason(), "gateway is restarting");
    peer->send_close(1012);
    EXPECT_TRUE(peer->wait_for_close());
    stopping.join();
}

TEST_F(WebSocket, GoesOnWhileOnlyWhatIsNewIsRefused) {
    start();
    auto peer = connect();
    peer->send_frame(text_frame, "there");
    EXPECT_EQ(peer->read_frame().payload, "there");
    server->refuse_new();
    peer->send_frame(text_frame, "still there");
    EXPECT_EQ(peer->read_frame().payload, "still there");
}

TEST_F(WebSocket, StopsSoonThoughPeersDoNotAnswer) {
    start();
    auto silent = connect();
    client stalled(server->port(), 4096);
    EXPECT_EQ(stalled.upgrade("/echo").status, 101);
    auto begin = std::chrono::steady_clock::now();
    server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

TEST_F(WebSocket, CancelsAHandlerThatDoesNotEndWithTheServer) {
    auto handler = [](const request&, websocket&) -> awaitable<void> {
        gateway::event never(co_await boost::asio::this_coro::executor);
        while (true) co_await never.wait();
    };
    start({}, handler);
    auto peer = connect("/with");
    auto begin = std::chrono::steady_clock::now();
    server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9));
    EXPECT_EQ(peer->read_frame().close_code(), 1012);
}

TEST_F(WebSocket, ClosesWithItsKey) {
    start();
    auto guarded = connect("/guarded", exec_key);
    auto other = connect("/guarded", "Authorization: Bearer root\r\n");
    server->close_key("key_exec");
    auto close = guarded->read_frame();
    EXPECT_EQ(close.close_code(), 1008);
    EXPECT_THAT(close.close_reason(), HasSubstr("revoked"));
    other->send_frame(text_frame, "still here");
    EXPECT_EQ(other->read_frame().payload, "still here");
}

TEST_F(WebSocket, ClosesWith1011WhenItsHandlerThrows) {
    auto handler = [](const request&, websocket&) -> awaitable<void> {
        throw std::runtime_error("secret detail");
        co_return;
    };
    start({}, handler);
    auto peer = connect("/with");
    auto close = peer->read_frame();
    EXPECT_EQ(close.close_code(), 1011);
    EXPECT_THAT(close.close_reason(), HasSubstr("req_"));
    EXPECT_EQ(close.close_reason().find("secret"), std::string::npos);
}

TEST_F(WebSocket, LosesNothingWhenAReadIsCancelled) {
    notice cancelled;
    auto handler = [&](const request& what, websocket& socket) -> awaitable<void> {
        auto first = co_await gateway::with_timeout(socket.read(), gateway::milliseconds(50), "a read");
        cancelled.tell();
        if (first) co_return;
        co_await echo(what, socket);
    };
    start({}, handler);
    auto peer = connect("/with");
    peer->send_frame(text_frame, "first half, ", false);
    ASSERT_TRUE(cancelled.wait());
    peer->send_frame(0, "second half");
    EXPECT_EQ(peer->read_frame().payload, "first half, second half");
}

TEST_F(WebSocket, AnswersPingsAndSeesPongsWhileItsHandlerDoesNotRead) {
    auto handler = [](const request&, websocket& socket) -> awaitable<void> {
        gateway::event ponged(co_await boost::asio::this_coro::executor);
        socket.on_pong([&](std::string_view) { ponged.notify_all(); });
        co_await ponged.wait_for(gateway::milliseconds(10'000));
        socket.on_pong(nullptr);
        co_await socket.close(close_code::normal, "ponged");
    };
    start({}, handler);
    auto peer = connect("/with");
    peer->send_frame(ping_frame, "x");
    EXPECT_EQ(peer->read_frame().payload, "x");
    peer->send_frame(pong_frame, "y");
    EXPECT_EQ(peer->read_frame().close_reason(), "ponged");
}

TEST_F(WebSocket, SeesAPeerThatIsCut) {
    notice done;
    auto handler = [&](const request&, websocket& socket) -> awaitable<void> {
        auto message = co_await socket.read();
        if (!message && message.error().code == gateway::errc::peer_gone) done.tell();
    };
    start({}, handler);
    { auto peer = connect("/with"); }
    EXPECT_TRUE(done.wait());
    EXPECT_TRUE(server->wait_until_empty());
}

}  // namespace
