#include "gateway/api/helpers/endpoint.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "gateway/api/helpers/execute_route.hpp"
#include "gateway/http/router.hpp"
#include "tests/gateway/api/helpers/helper_client.hpp"

namespace gateway::api::helpers {
namespace {

using test_support::await;
using test_support::run_until;

// Answers what the slug asks for.
class fake_toolbox final : public tools::toolbox {
  public:
    explicit fake_toolbox(executor ex) : release(std::move(ex)) {}

    awaitable<result<std::string>> execute(std::string slug, std::string arguments, tools::tool_caller) override {
        ++running;
        most = std::max(most, running);
        bool cancelled = false;
        while (slug == "WAIT" && held && !cancelled) {
            co_await release.wait();
            auto state = co_await asio::this_coro::cancellation_state;
            cancelled = state.cancelled() != asio::cancellation_type::none;
        }
        --running;
        if (cancelled) co_return failure{errc::cancelled, "the call was cancelled"};
        if (slug == "TIMEOUT") co_return failure{errc::timeout, "it took too long"};
        if (slug == "UNKNOWN") co_return failure{errc::not_found, "there is no tool UNKNOWN"};
        if (slug == "FAILED") co_return std::string(R"({"data":{},"error":"no","log_id":"log_1"})");
        co_return R"({"data":)" + arguments + R"(,"error":null,"log_id":"log_1"})";
    }
    awaitable<std::vector<tools::tool_description>> list() override {
        co_return std::vector<tools::tool_description>{{"A_B", "A", "b", "", "{}"}, {"A_C", "A", "c", "", "{}"}};
    }
    bool empty() const override { return false; }
    awaitable<void> stop() override { co_return; }

    event release;
    bool held = true;
    int running = 0;
    int most = 0;
};

// A route of another subject: says whose call it got.
awaitable<http::response> mirror(helper_call call) {
    if (call.from.parameters[0] == "full") co_return refuse(call, {errc::limit_reached, "enough for now"}, 429);
    json body = {{"session", call.session}, {"segment", call.from.parameters[0]}, {"log_id", call.log_id}};
    co_return http::json_response(body.dump());
}

struct helper_endpoint : helper_client {
    fake_toolbox box{io.get_executor()};
    asio::thread_pool pool{1};
    tools::shared_meters meters = std::make_shared<tools::meters>(io.get_executor());
    tools::tool_filter admits;

    void add_routes(endpoint& to) override {
        auto find_caller = [this](const std::string&) {
            tools::tool_caller made(meters);
            made.admits = admits;
            return made;
        };
        add_execute_route(to, box, pool, find_caller);
        to.add("POST", "/v1/small", [](helper_call call) -> awaitable<http::response> {
            co_return http::json_response(json(call.from.body.size()).dump());
        });
        to.add("GET", "/v1/mirror/{}", [](helper_call call) { return mirror(std::move(call)); });
    }
    void TearDown() override {
        box.held = false;
        box.release.notify_all();
        helper_client::TearDown();
    }

    static std::string post_call(const std::string& body, const std::string& key = "good") {
        return post("/v1/tools/execute", body, key);
    }
};

std::string call(const char* slug, const std::string& arguments = "{}") {
    return R"({"tool_slug":")" + std::string(slug) + R"(","arguments":)" + arguments + "}";
}

TEST_F(helper_endpoint, a_call_with_a_sessions_key_is_answered) {
    auto got = send(post_call(call("A_B", R"({"x":1})")));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json::parse(R"({"data":{"x":1},"error":null,"log_id":"log_1"})"));
}

TEST_F(helper_endpoint, a_tool_that_the_session_does_not_let_in_is_not_called) {
    admits = [](const tools::tool_description& each) { return each.slug == "A_C"; };
    auto got = send(post_call(call("a_b")));
    EXPECT_EQ(got.status, 400);
    EXPECT_THAT(got.body["error"].get<std::string>(), testing::HasSubstr("A_B is not among the tools"));
    EXPECT_EQ(send(post_call(call("A_C"))).status, 200);
    EXPECT_EQ(send(post_call(call("COMPOSIO_SEARCH_GROQ_CHAT"))).status, 200);
}

TEST_F(helper_endpoint, a_tools_own_failure_is_no_http_error) {
    auto got = send(post_call(call("FAILED")));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["error"], "no");
}

TEST_F(helper_endpoint, failures_have_their_status_and_the_shape_of_an_answer) {
    for (auto [slug, status] : {std::pair("TIMEOUT", 504), std::pair("UNKNOWN", 404)}) {
        auto got = send(post_call(call(slug)));
        EXPECT_EQ(got.status, status);
        EXPECT_EQ(got.body["data"], json::object());
        EXPECT_TRUE(got.body["error"].is_string());
        EXPECT_EQ(got.body["log_id"].get<std::string>().rfind("log_", 0), 0u);
    }
    EXPECT_EQ(send(post_call("nonsense")).status, 400);
}

TEST_F(helper_endpoint, a_key_of_no_session_is_refused_before_anything_else) {
    for (const char* key : {"", "bad", "GOOD"}) {
        auto got = send(post_call("nonsense", key));
        EXPECT_EQ(got.status, 401) << key;
        EXPECT_EQ(got.body["data"], json::object());
    }
    EXPECT_EQ(box.most, 0);
}

TEST_F(helper_endpoint, a_route_of_another_subject_gets_the_session_and_its_parameters) {
    auto got = send(get("/v1/mirror/a%20b"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["session"], "ses_1");
    EXPECT_EQ(got.body["segment"], "a b");
    EXPECT_EQ(got.body["log_id"].get<std::string>().rfind("log_", 0), 0u);
}

TEST_F(helper_endpoint, refusals_of_other_routes_have_the_form_of_the_api) {
    auto full = send(get("/v1/mirror/full"));
    EXPECT_EQ(full.status, 429);
    EXPECT_EQ(full.body["error"]["code"], "limit_reached");
    EXPECT_EQ(full.body["error"]["status"], 429);
    auto keyless = send(get("/v1/mirror/a", "bad"));
    EXPECT_EQ(keyless.status, 401);
    EXPECT_EQ(keyless.body["error"]["code"], "unauthorized");
    EXPECT_EQ(send(post("/v1/mirror/a", "{}")).status, 405);
}

TEST_F(helper_endpoint, nothing_else_is_served) {
    EXPECT_EQ(send(post("/api/kernels", "{}")).status, 404);
    EXPECT_EQ(send("GET /v1/tools/execute HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status, 405);
    EXPECT_EQ(send("nonsense\r\n\r\n").status, 400);
}

TEST_F(helper_endpoint, a_body_over_the_limit_is_refused) {
    auto got = send(post_call(call("A_B", "{\"x\":\"" + std::string(400'000, 'x') + "\"}")));
    EXPECT_EQ(got.status, 413);
}

TEST_F(helper_endpoint, a_route_of_small_bodies_refuses_what_a_tool_may_get) {
    EXPECT_EQ(send(post("/v1/small", std::string(110'000, ' '))).status, 413);
    EXPECT_EQ(send(post("/v1/small", std::string(90'000, ' '))).status, 200);
    EXPECT_EQ(send(post_call(call("A_B", "{\"x\":\"" + std::string(200'000, 'x') + "\"}"))).status, 200);
}

TEST_F(helper_endpoint, a_body_without_a_good_key_is_not_read) {
    auto request = post_call(call("A_B"), "bad");
    request.resize(request.find("\r\n\r\n") + 4);  // the body never comes
    EXPECT_EQ(send(request).status, 401);
}

TEST_F(helper_endpoint, bodies_have_a_limit_all_together) {
    bounds.large_body_bytes = 2 << 20;
    bounds.bodies_bytes = 3 << 20;
    served_anew();
    auto request = post_call(call("A_B", "{\"x\":\"" + std::string(1'600'000, 'x') + "\"}"));
    asio::local::stream_protocol::socket first(io);
    first.connect(asio::local::stream_protocol::endpoint(path()));
    asio::write(first, asio::buffer(request.substr(0, 1000)));
    EXPECT_TRUE(run_until(io, [&] { return send(request).status == 503; }));
    first.close();
    EXPECT_TRUE(run_until(io, [&] { return send(request).status == 200; }));
}

TEST_F(helper_endpoint, connections_that_say_nothing_make_room) {
    bounds.connections = 3;
    served_anew();
    std::vector<asio::local::stream_protocol::socket> silent;
    for (int i = 0; i < 10; ++i) {
        silent.emplace_back(io).connect(asio::local::stream_protocol::endpoint(path()));
        asio::write(silent.back(), asio::buffer(i % 2 ? std::string("P") : post_call(call("A_B")).substr(0, 200)));
    }
    EXPECT_EQ(send(post_call(call("A_B"))).status, 200);
}

TEST_F(helper_endpoint, a_hundred_calls_run_at_once) {
    std::vector<int> statuses;
    auto one = [&]() -> awaitable<void> {
        auto got = co_await exchange(post_call(call("WAIT")));
        statuses.push_back(got.status);
    };
    task_group calls(io.get_executor());
    for (int i = 0; i < 100; ++i) calls.spawn("call", one());
    EXPECT_TRUE(run_until(io, [&] { return box.running == 100; }));
    box.held = false;
    box.release.notify_all();
    EXPECT_TRUE(run_until(io, [&] { return statuses.size() == 100; }));
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), 100);
}

TEST_F(helper_endpoint, a_call_whose_cell_was_interrupted_is_cancelled) {
    asio::local::stream_protocol::socket socket(io);
    socket.connect(asio::local::stream_protocol::endpoint(path()));
    asio::write(socket, asio::buffer(post_call(call("WAIT"))));
    EXPECT_TRUE(run_until(io, [&] { return box.running == 1; }));
    socket.close();
    EXPECT_TRUE(run_until(io, [&] { return box.running == 0; }));
    EXPECT_TRUE(box.held);
}

TEST_F(helper_endpoint, the_socket_is_open_to_all_and_its_directory_to_none) {
    struct stat info {};
    ASSERT_EQ(::stat(sockets().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u);
    ASSERT_EQ(::stat(path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0666u);
}

TEST_F(helper_endpoint, a_socket_that_was_left_behind_is_replaced_and_ours_is_removed) {
    await(io, served->stop());
    EXPECT_NE(::access(path().c_str(), F_OK), 0);
    std::ofstream(path()) << "left by a gateway that was killed";
    serve();
    EXPECT_EQ(send(post_call(call("A_B"))).status, 200);
}

TEST_F(helper_endpoint, a_directory_that_is_too_long_for_a_socket_is_an_error) {
    endpoint other(io.get_executor(), directory.path() + "/" + std::string(120, 'x'),
                   [](const std::string&) { return std::nullopt; });
    auto bound = other.listen();
    ASSERT_FALSE(bound);
    EXPECT_NE(bound.error().message.find("longer than 107 bytes"), std::string::npos) << bound.error().message;
}

}  // namespace
}  // namespace gateway::api::helpers
