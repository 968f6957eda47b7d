#include "gateway/tools/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/await.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;
using test_support::await;
using test_support::exchange;
using test_support::run_until;
using test_support::scripted_server;

const std::string events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
const std::string answered = events +
                             "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"
                             "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"
                             "data: [DONE]\n\n";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A model server in the test's own io_context: `answers` are what it sends to one request after the other, the last one
// from then on.
struct a_model : testing::Test {
    asio::io_context io;
    std::vector<std::string> answers = {answered};
    bool hangs = false;  // after what it sent
    std::vector<json> asked;
    int closed = 0;  // connections that we left while it was hanging
    std::unique_ptr<scripted_server> server = std::make_unique<scripted_server>(
        io.get_executor(), [this](exchange& on) -> awaitable<void> { co_await serve(on); });
    model_options options{server->url("/v1/"), "sk-secret", "m-1"};
    shared_meters whose = std::make_shared<meters>(io.get_executor());
    std::unique_ptr<model> made;

    awaitable<void> serve(exchange& on) {
        asked.push_back(json::parse(on.body));
        auto bytes = answers[std::min(asked.size(), answers.size()) - 1];
        co_await on.send(bytes);
        if (!hangs) co_return;
        co_await on.wait_for_close();
        ++closed;
    }
    model& open() {
        if (!made) made = make_model(io.get_executor(), options);
        return *made;
    }
    result<completion> ask(const std::string& query = "why?") {
        return await(io, open().complete(ask_model(query, "").value(), whose), std::chrono::seconds(60));
    }
    failure refusal() {
        auto answer = ask();
        EXPECT_FALSE(answer);
        return answer ? failure{} : answer.error();
    }
    std::uint64_t ended(const char* how) {
        auto found = open().totals().calls.find(how);
        return found == open().totals().calls.end() ? 0 : found->second;
    }
    static std::string http(const std::string& status, const std::string& body, const std::string& more = "") {
        return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + more +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    ~a_model() override {
        made.reset();
        await(io, server->stop());
    }
};

TEST_F(a_model, answers_and_counts_what_it_used) {
    EXPECT_EQ(ask()->text, "Hello");
    EXPECT_EQ(whose->model.tokens(), (token_count{5, 2}));
    EXPECT_EQ(whose->model.calls(), 1u);
    EXPECT_EQ(open().totals().tokens, (token_count{5, 2}));
    EXPECT_EQ(ended("ok"), 1u);
    EXPECT_EQ(open().totals().running, 0u);
}

TEST_F(a_model, is_asked_with_its_key_and_name) {
    ask();
    EXPECT_TRUE(has(server->requests()[0], "POST /v1/chat/completions HTTP/1.1\r\n"));
    EXPECT_TRUE(has(server->requests()[0], "Authorization: Bearer sk-secret\r\n"));
    EXPECT_EQ(asked[0]["model"], "m-1");
}

TEST_F(a_model, without_a_key_sends_none) {
    options.api_key.clear();
    ask();
    EXPECT_FALSE(has(server->requests()[0], "Authorization"));
}

TEST_F(a_model, limits_the_answer_as_configured) {
    options.max_tokens = 77;
    ask();
    EXPECT_EQ(asked[0]["max_tokens"], 77);
}

TEST_F(a_model, that_is_not_configured_says_what_to_set) {
    options.base_url.clear();
    auto why = refusal();
    EXPECT_EQ(why.code, errc::not_found);
    EXPECT_TRUE(has(why.message, "llm.base_url"));
}

TEST_F(a_model, may_answer_with_one_object) {
    answers = {http("200 OK", R"({"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]})")};
    EXPECT_EQ(ask()->text, "hi");
}

TEST_F(a_model, that_tells_no_tokens_is_estimated) {
    answers = {
        events +
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"123456789\"},\"finish_reason\":\"stop\"}]}\n\n"};
    EXPECT_TRUE(ask());
    EXPECT_EQ(whose->model.tokens().completion, 3u);
    EXPECT_GT(whose->model.tokens().prompt, 10u);
}

TEST_F(a_model, is_asked_again_without_a_field_that_it_refuses) {
    answers = {http("400 Bad Request", R"({"error":{"message":"Unrecognized argument: stream_options"}})"), answered};
    EXPECT_EQ(ask()->text, "Hello");
    EXPECT_TRUE(asked[0].contains("stream_options"));
    EXPECT_FALSE(asked[1].contains("stream_options"));
    ask();
    EXPECT_FALSE(asked[2].contains("stream_options"));
    EXPECT_EQ(whose->model.calls(), 2u);
}

TEST_F(a_model, passes_on_a_rate_limit_and_does_not_try_again) {
    answers = {http("429 Too Many Requests", R"({"error":{"message":"slow down"}})", "Retry-After: 3\r\n")};
    auto why = refusal();
    EXPECT_EQ(why.code, errc::rate_limited);
    EXPECT_EQ(why.retry_after, std::chrono::seconds(3));
    EXPECT_TRUE(has(why.message, "slow down"));
    EXPECT_EQ(asked.size(), 1u);
    EXPECT_EQ(whose->model.tokens(), token_count());
    EXPECT_EQ(ended("rate_limited"), 1u);
}

TEST_F(a_model, tells_what_failed) {
    for (auto [answer, part] : std::vector<std::pair<std::string, const char*>>{
             {http("500 Internal Server Error", "out of memory"), "HTTP 500: out of memory"},
             {http("401 Unauthorized", "no"), "[llm]"},
             {http("404 Not Found", R"({"error":{"message":"no model m-1"}})"), "no model m-1"},
             {http("200 OK", "<html>"), "chat completions"},
             {events + "data: {\n\n", "chat completions"},
             {events + "data: {\"error\":{\"message\":\"gone\"}}\n\n", "gone"},
             {events + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"abc\"}}]}\n\n", "broke off"},
             {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100\r\n\r\ndata", "broke off"},
             {"nonsense\r\n\r\n", "broke off"}}) {
        answers = {answer};
        auto why = refusal();
        EXPECT_TRUE(has(why.message, part)) << why.message;
        EXPECT_TRUE(has(why.message, "the model server")) << why.message;
    }
}

TEST_F(a_model, that_answers_with_gigabytes_is_stopped) {
    options.max_answer_bytes = 100'000;
    std::string line =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + std::string(1000, 'x') + "\"}}]}\n\n";
    bool left = false;
    server->replace([&](exchange& on) -> awaitable<void> {
        co_await on.send(events);
        boost::system::error_code ec;
        for (std::size_t sent = 0; sent < (1u << 30) && !ec; sent += line.size()) {
            auto token = asio::as_tuple(asio::use_awaitable);
            auto [failed, count] = co_await asio::async_write(on.socket, asio::buffer(line), token);
            ec = failed;
        }
        left = static_cast<bool>(ec);
    });
    EXPECT_EQ(refusal().code, errc::too_large);
    EXPECT_TRUE(run_until(io, [&] { return left; }));
    EXPECT_GT(whose->model.tokens().completion, 10'000u);
}

TEST_F(a_model, that_hangs_is_left_at_the_time_limit) {
    answers = {events};
    hangs = true;
    options.timeout = milliseconds(300);
    auto why = refusal();
    EXPECT_EQ(why.code, errc::timeout);
    EXPECT_TRUE(has(why.message, "llm.timeout_s"));
    EXPECT_TRUE(run_until(io, [&] { return closed == 1; }));
}

TEST_F(a_model, is_left_when_the_call_is_cancelled) {
    answers = {events + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"12345678\"}}]}\n\n"};
    hangs = true;
    task_group tasks(io.get_executor());
    auto call = [](a_model& of) -> awaitable<void> {
        auto what = ask_model("why?", "").value();
        (void)co_await of.open().complete(what, of.whose);
    };
    tasks.spawn("call", call(*this));
    ASSERT_TRUE(run_until(io, [&] { return asked.size() == 1 && open().totals().running == 1; }));
    tasks.cancel();
    await(io, tasks.join());
    EXPECT_TRUE(run_until(io, [&] { return closed == 1; }));
    EXPECT_EQ(ended("cancelled"), 1u);
    EXPECT_EQ(whose->model.running(), 0u);
}

TEST_F(a_model, refuses_a_query_that_is_too_long) {
    options.max_characters = 3;
    EXPECT_TRUE(ask("abc"));
    auto answer = ask("abcd");
    EXPECT_EQ(answer.error().code, errc::too_large);
    EXPECT_TRUE(has(answer.error().message, "llm.max_query_chars"));
    EXPECT_EQ(asked.size(), 1u);
}

TEST_F(a_model, keeps_a_sessions_limits) {
    options.per_session.tokens = 7;
    EXPECT_TRUE(ask());
    EXPECT_EQ(refusal().code, errc::limit_reached);
    EXPECT_EQ(asked.size(), 1u);
    EXPECT_EQ(ended("limit_reached"), 1u);
}

TEST_F(a_model, is_asked_only_so_often_at_once) {
    options.per_session.concurrent = 2;
    answers = {events};
    hangs = true;
    options.timeout = milliseconds(500);
    task_group tasks(io.get_executor());
    auto call = [](a_model& of) -> awaitable<void> {
        auto what = ask_model("why?", "").value();
        (void)co_await of.open().complete(what, of.whose);
    };
    for (int i = 0; i < 3; ++i) tasks.spawn("call", call(*this));
    ASSERT_TRUE(run_until(io, [&] { return asked.size() == 2; }));
    EXPECT_EQ(whose->model.running(), 2u);
    await(io, tasks.join());
    EXPECT_EQ(ended("timeout"), 3u);
}

TEST_F(a_model, on_a_link_local_address_is_not_reached) {
    options.base_url = "http://169.254.169.254/v1";
    EXPECT_EQ(refusal().code, errc::forbidden);
}

}  // namespace
}  // namespace gateway::tools
