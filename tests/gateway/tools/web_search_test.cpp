#include "gateway/tools/web_search.hpp"

#include <gtest/gtest.h>

#include "tests/support/await.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::tools {
namespace {

using test_support::await;
using test_support::exchange;
using test_support::run_until;
using test_support::scripted_server;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct a_web_search : testing::Test {
    asio::io_context io;
    std::string status = "200 OK";
    std::string body = R"({"answer":"In 2026.","citations":[]})";
    std::string more;
    bool hangs = false;
    int closed = 0;
    std::unique_ptr<scripted_server> server = std::make_unique<scripted_server>(
        io.get_executor(), [this](exchange& on) -> awaitable<void> { co_await serve(on); });
    search_options options{search_provider::exa, server->url(""), "sk-secret"};
    shared_meters whose = std::make_shared<meters>(io.get_executor());
    std::unique_ptr<web_search> made;

    awaitable<void> serve(exchange& on) {
        if (!hangs) co_return co_await on.answer(status, "application/json", body, more);
        co_await on.wait_for_close();
        ++closed;
    }
    result<search_answer> search(const std::string& query = "eclipse?") {
        if (!made) made = make_web_search(io.get_executor(), options);
        return await(io, made->search(query, whose));
    }
    failure refusal() {
        auto answer = search();
        EXPECT_FALSE(answer);
        return answer ? failure{} : answer.error();
    }
    ~a_web_search() override {
        made.reset();
        await(io, server->stop());
    }
};

TEST_F(a_web_search, answers_and_is_counted) {
    EXPECT_EQ(search()->text(), "In 2026.");
    EXPECT_TRUE(has(server->requests()[0], "x-api-key: sk-secret\r\n"));
    EXPECT_EQ(whose->search.calls(), 1u);
    EXPECT_EQ(whose->model.calls(), 0u);
    EXPECT_EQ(made->totals().calls.at("ok"), 1u);
}

TEST_F(a_web_search, that_is_not_configured_says_what_to_set) {
    options.provider = search_provider::none;
    auto why = refusal();
    EXPECT_EQ(why.code, errc::not_found);
    EXPECT_TRUE(has(why.message, "search.provider"));
}

TEST_F(a_web_search, tells_what_failed) {
    status = "500 Internal Server Error";
    body = "no index";
    EXPECT_TRUE(has(refusal().message, "the search provider answered HTTP 500: no index"));
    status = "401 Unauthorized";
    EXPECT_TRUE(has(refusal().message, "[search]"));
    status = "200 OK";
    EXPECT_TRUE(has(refusal().message, "not one of exa"));
}

TEST_F(a_web_search, passes_on_a_rate_limit) {
    status = "429 Too Many Requests";
    more = "Retry-After: 2\r\n";
    auto why = refusal();
    EXPECT_EQ(why.code, errc::rate_limited);
    EXPECT_EQ(why.retry_after, std::chrono::seconds(2));
}

TEST_F(a_web_search, of_a_searxng_without_json_says_how_to_switch_it_on) {
    options.provider = search_provider::searxng;
    status = "403 Forbidden";
    EXPECT_TRUE(has(refusal().message, "search.formats"));
}

TEST_F(a_web_search, of_an_answer_that_is_too_large_is_stopped) {
    options.max_answer_bytes = 10;
    EXPECT_EQ(refusal().code, errc::too_large);
}

TEST_F(a_web_search, that_hangs_is_left_at_the_time_limit) {
    hangs = true;
    options.timeout = milliseconds(200);
    auto why = refusal();
    EXPECT_EQ(why.code, errc::timeout);
    EXPECT_TRUE(has(why.message, "search.timeout_s"));
    EXPECT_TRUE(run_until(io, [&] { return closed == 1; }));
}

TEST_F(a_web_search, keeps_a_sessions_limits) {
    options.per_session.calls = 1;
    EXPECT_TRUE(search());
    EXPECT_TRUE(has(refusal().message, "search.max_calls_per_session"));
    EXPECT_EQ(server->requests().size(), 1u);
}

TEST_F(a_web_search, for_what_the_provider_does_not_take_is_not_made) {
    options.provider = search_provider::brave;
    auto answer = search(std::string(500, 'x'));
    EXPECT_EQ(answer.error().code, errc::invalid_request);
    EXPECT_EQ(whose->search.calls(), 0u);
}

}  // namespace
}  // namespace gateway::tools
