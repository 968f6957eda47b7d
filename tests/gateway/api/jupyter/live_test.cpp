// The Jupyter routes behind the real HTTP server, over a real socket: what a client sees on the wire.
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "gateway/api/jupyter/routes.hpp"
#include "messaging/websocket_v1.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"
#include "tests/support/fake_jupyter_session.hpp"

namespace gateway::api::jupyter {
namespace {

using nlohmann::json;
using test_http::client;

const std::string key_header = "Authorization: token sess\r\n";
const std::string offer_v1 = "Sec-WebSocket-Protocol: v1.kernel.websocket.jupyter.org\r\n";

class live_jupyter : public testing::Test {
  protected:
    // Runs `work` in the server's thread, which owns the registry.
    template <class Work>
    auto on_server(Work work) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto answer = task.get_future();
        asio::post(*ex, std::move(task));
        return answer.get();
    }
    // What holds timers goes while the server's thread still runs them.
    ~live_jupyter() override {
        on_server([this] { session.reset(); });
        server.stop();
        on_server([this] { registry.reset(); });
    }

    template <class Condition>
    bool becomes(Condition condition) {
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!on_server(condition))
            if (std::chrono::steady_clock::now() > end) return false;
        return true;
    }
    void add_kernel() {
        on_server([this] {
            sessions::session_options options;
            options.user_id = "ada";
            options.made_by = sessions::origin::jupyter;
            session = registry->add(std::move(options));
        });
        path = "/api/kernels/" + session->kernel_id() + "/channels?session_id=tab";
    }
    test_http::reply open(client& from, const std::string& more = offer_v1) {
        auto answer = from.upgrade(path, key_header + more);
        EXPECT_EQ(answer.status, 101);
        EXPECT_TRUE(becomes([this] { return session->client && session->client->waits > 0; }));
        return answer;
    }
    void push(std::uint64_t seq) {
        on_server([this, seq] {
            session->client->push(seq, messaging::make_message(messaging::channel::iopub, "stream", "k", "{}"));
        });
    }

    std::optional<executor> ex;
    std::unique_ptr<test_support::fake_registry> registry;
    std::shared_ptr<test_support::fake_session> session;
    std::string path;
    test_http::live_server server{[this](http::router& routes, executor on) {
        ex = on;
        registry = std::make_unique<test_support::fake_registry>(on);
        add_jupyter_routes(routes, *registry, {});
    }};
};

TEST_F(live_jupyter, carries_messages_both_ways) {
    add_kernel();
    client peer(server.port());
    EXPECT_EQ(open(peer).header("sec-websocket-protocol"), messaging::v1_subprotocol);
    auto request = messaging::make_message(messaging::channel::shell, "execute_request", "tab", R"({"code":"1"})");
    peer.send_frame(test_http::binary_frame, messaging::encode_v1(request));
    ASSERT_TRUE(becomes([this] { return session->client->sent.size() == 1; }));
    EXPECT_EQ(on_server([this] { return session->client->sent[0].content; }), request.content);
    push(1);
    auto frame = peer.read_frame();
    EXPECT_EQ(frame.opcode, test_http::binary_frame);
    EXPECT_TRUE(messaging::decode_v1(frame.payload));
    EXPECT_EQ(on_server([this] { return session->connects.at(0).first; }), "tab");
}

TEST_F(live_jupyter, speaks_json_to_who_offers_nothing) {
    add_kernel();
    client peer(server.port());
    EXPECT_EQ(open(peer, "").header("sec-websocket-protocol"), "");
    push(1);
    auto frame = peer.read_frame();
    EXPECT_EQ(frame.opcode, test_http::text_frame);
    EXPECT_EQ(json::parse(frame.payload)["channel"], "iopub");
}

TEST_F(live_jupyter, asks_by_ping_and_learns_by_pong_what_arrived) {
    add_kernel();
    client peer(server.port());
    open(peer);
    push(7);
    peer.read_frame();
    auto ping = peer.read_frame();
    EXPECT_EQ(ping.opcode, test_http::ping_frame);
    EXPECT_EQ(ping.payload, "seq 7");
    peer.send_frame(test_http::pong_frame, ping.payload);
    EXPECT_TRUE(becomes([this] { return session->client->acknowledged == 7; }));
}

TEST_F(live_jupyter, answers_an_unknown_kernel_with_404_before_the_handshake) {
    client peer(server.port());
    auto answer = peer.upgrade("/api/kernels/8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f/channels", key_header);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(json::parse(answer.body)["error"]["code"], "kernel_not_found");
}

TEST_F(live_jupyter, closes_with_1000_when_the_kernel_is_deleted) {
    add_kernel();
    client peer(server.port());
    open(peer);
    on_server([this] { session->client->finish(sessions::client_end::kernel_deleted); });
    auto frame = peer.read_frame();
    EXPECT_EQ(frame.close_code(), 1000);
    EXPECT_EQ(frame.close_reason(), "kernel deleted");
}

TEST_F(live_jupyter, closes_with_1007_and_the_reason_when_a_frame_is_no_message) {
    add_kernel();
    client peer(server.port());
    open(peer);
    peer.send_frame(test_http::binary_frame, "nonsense");
    auto frame = peer.read_frame();
    EXPECT_EQ(frame.close_code(), 1007);
    EXPECT_EQ(frame.close_reason().rfind("bad message", 0), 0u);
}

TEST_F(live_jupyter, closes_with_1012_when_the_server_stops_row_11) {
    add_kernel();
    client peer(server.port());
    open(peer);
    auto stopped = std::async(std::launch::async, [this] { server.stop(); });
    EXPECT_EQ(peer.read_frame().close_code(), 1012);
    peer.send_close(1012);
    stopped.wait();
    EXPECT_TRUE(becomes([this] { return session->client->disconnects.size() == 1; }));
}

TEST_F(live_jupyter, tells_the_session_when_the_peer_is_gone) {
    add_kernel();
    {
        client peer(server.port());
        open(peer);
    }
    EXPECT_TRUE(becomes([this] { return session->client->disconnects.size() == 1; }));
    EXPECT_TRUE(server.wait_until_empty());
}

TEST_F(live_jupyter, starts_a_kernel_over_http) {
    client peer(server.port());
    auto answer = peer.request("POST", "/api/kernels", key_header, R"({"name":"python3"})");
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.header("location"), "/api/kernels/" + json::parse(answer.body)["id"].get<std::string>());
    EXPECT_EQ(peer.get("/api").status, 200);
    EXPECT_EQ(peer.get("/api/kernels").status, 401);
    EXPECT_EQ(peer.get("/metrics", key_header).status, 403);
    EXPECT_EQ(peer.get("/metrics", "Authorization: Bearer root\r\n").status, 200);
}

}  // namespace
}  // namespace gateway::api::jupyter
