#include "gateway/api/helpers/endpoint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gateway/api/helpers/execute_route.hpp"
#include "gateway/http/router.hpp"
#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;
using test_support::await;
using test_support::run_until;

// Answers what the slug asks for.
class fake_toolbox final : public tools::toolbox {
  public:
    explicit fake_toolbox(executor ex) : release(std::move(ex)) {}

    awaitable<result<std::string>> execute(std::string slug, std::string arguments) override {
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
        co_return std::vector<tools::tool_description>();
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

struct answer {
    int status = 0;
    json body;
};

struct helper_endpoint : testing::Test {
    asio::io_context io;
    test_support::temporary_directory directory;
    fake_toolbox box{io.get_executor()};
    std::unique_ptr<endpoint> served;
    task_group tasks{io.get_executor()};

    std::string sockets() const { return directory.path() + "/helpers"; }
    std::string path() const { return sockets() + "/helper.sock"; }

    void SetUp() override { serve(); }
    void serve() {
        auto find = [](const std::string& key) {
            return key == "good" ? std::optional<std::string>("ses_1") : std::nullopt;
        };
        endpoint::limits bounds;
        bounds.body_bytes = 100'000;
        served = std::make_unique<endpoint>(io.get_executor(), sockets(), find, bounds);
        add_execute_route(*served, box);
        served->add("GET", "/v1/mirror/{}", [](helper_call call) { return mirror(std::move(call)); });
        auto bound = served->listen();
        ASSERT_TRUE(bound) << bound.error().message;
        tasks.spawn("endpoint", served->run());
    }
    void TearDown() override {
        box.held = false;
        box.release.notify_all();
        await(io, served->stop());
        await(io, tasks.join());
    }

    static std::string post(const std::string& body, const std::string& key = "good",
                            const std::string& target = "/v1/tools/execute") {
        return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nx-cellgate-session-key: " + key +
               "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    static std::string get(const std::string& target, const std::string& key = "good") {
        return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nx-cellgate-session-key: " + key +
               "\r\nConnection: close\r\n\r\n";
    }
    awaitable<answer> exchange(std::string request) {
        asio::local::stream_protocol::socket socket(io);
        asio::local::stream_protocol::endpoint where(path());
        co_await socket.async_connect(where, asio::use_awaitable);
        auto token = asio::as_tuple(asio::use_awaitable);
        (void)co_await asio::async_write(socket, asio::buffer(request), token);
        std::string text;
        (void)co_await asio::async_read(socket, asio::dynamic_buffer(text), token);
        answer made;
        made.status = std::atoi(text.substr(9, 3).c_str());
        made.body = json::parse(text.substr(std::min(text.size(), text.find("\r\n\r\n") + 4)), nullptr, false);
        co_return made;
    }
    answer send(const std::string& request) { return await(io, exchange(request)); }
};

std::string call(const char* slug, const std::string& arguments = "{}") {
    return R"({"tool_slug":")" + std::string(slug) + R"(","arguments":)" + arguments + "}";
}

TEST_F(helper_endpoint, a_call_with_a_sessions_key_is_answered) {
    auto got = send(post(call("A_B", R"({"x":1})")));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json::parse(R"({"data":{"x":1},"error":null,"log_id":"log_1"})"));
}

TEST_F(helper_endpoint, a_tools_own_failure_is_no_http_error) {
    auto got = send(post(call("FAILED")));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["error"], "no");
}

TEST_F(helper_endpoint, failures_have_their_status_and_the_shape_of_an_answer) {
    for (auto [slug, status] : {std::pair("TIMEOUT", 504), std::pair("UNKNOWN", 404)}) {
        auto got = send(post(call(slug)));
        EXPECT_EQ(got.status, status);
        EXPECT_EQ(got.body["data"], json::object());
        EXPECT_TRUE(got.body["error"].is_string());
        EXPECT_EQ(got.body["log_id"].get<std::string>().rfind("log_", 0), 0u);
    }
    EXPECT_EQ(send(post("nonsense")).status, 400);
}

TEST_F(helper_endpoint, a_key_of_no_session_is_refused_before_anything_else) {
    for (const char* key : {"", "bad", "GOOD"}) {
        auto got = send(post("nonsense", key));
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
    EXPECT_EQ(send(post("{}", "good", "/v1/mirror/a")).status, 405);
}

TEST_F(helper_endpoint, nothing_else_is_served) {
    EXPECT_EQ(send(post("{}", "good", "/api/kernels")).status, 404);
    EXPECT_EQ(send("GET /v1/tools/execute HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status, 405);
    EXPECT_EQ(send("nonsense\r\n\r\n").status, 400);
}

TEST_F(helper_endpoint, a_body_over_the_limit_is_refused) {
    auto got = send(post(call("A_B", "{\"x\":\"" + std::string(200'000, 'x') + "\"}")));
    EXPECT_EQ(got.status, 413);
}

TEST_F(helper_endpoint, a_hundred_calls_run_at_once) {
    std::vector<int> statuses;
    auto one = [&]() -> awaitable<void> {
        auto got = co_await exchange(post(call("WAIT")));
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
    asio::write(socket, asio::buffer(post(call("WAIT"))));
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
    EXPECT_EQ(send(post(call("A_B"))).status, 200);
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
