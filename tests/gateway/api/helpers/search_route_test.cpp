#include "gateway/api/helpers/search_route.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/api/helpers/service_fixture.hpp"

namespace gateway::api::helpers {
namespace {

struct search_route : service_fixture {
    tools::search_options options;
    std::unique_ptr<tools::web_search> searched;

    void add_routes(endpoint& to) override {
        type = "application/json";
        body = R"({"answer":"In 2026.","citations":[{"title":"Eclipses","url":"http://page.example/"}]})";
        options.provider = tools::search_provider::exa;
        options.url = server.url("");
        options.api_key = "sk-secret";
        options.per_session.calls = 2;
        searched = tools::make_web_search(io.get_executor(), options);
        add_search_route(to, *searched, finder());
    }
    answer ask(const std::string& body = R"({"query":"eclipse?"})", const char* key = "good") {
        return send(post("/v1/search", body, key));
    }
};

TEST_F(search_route, answers_with_its_sources_and_counts_for_the_session) {
    auto got = ask();
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(has(got.body["answer"], "In 2026."));
    EXPECT_EQ(got.body["sources"], json::parse(R"([{"title":"Eclipses","url":"http://page.example/"}])"));
    EXPECT_EQ(asked_by, std::vector<std::string>{"ses_1"});
    EXPECT_EQ(meters->search.calls(), 1u);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["query"], "eclipse?");
}

TEST_F(search_route, names_what_it_does_not_know) {
    expect_refusal(ask(R"({"query":"a","reasoning_effort":"low"})"), 400, "unknown_field", "\"reasoning_effort\"");
    expect_refusal(ask("eclipse?"), 400, "invalid_request", "JSON object");
    expect_refusal(ask(R"({"query":""})"), 400, "invalid_request", "query");
    EXPECT_TRUE(sent.empty());
}

TEST_F(search_route, wants_a_sessions_key) {
    expect_refusal(ask(R"({"query":"eclipse?"})", "bad"), 401, "unauthorized", "key");
    EXPECT_TRUE(asked_by.empty());
}

TEST_F(search_route, says_which_limit_is_reached) {
    EXPECT_EQ(ask().status, 200);
    EXPECT_EQ(ask().status, 200);
    expect_refusal(ask(), 403, "limit_reached", "search.max_calls_per_session");
    EXPECT_EQ(sent.size(), 2u);
}

TEST_F(search_route, tells_what_the_provider_said_when_it_fails) {
    status = "500 Internal Server Error";
    body = "no index";
    expect_refusal(ask(), 502, "tool_failed", "no index");
    status = "200 OK";
    body = "<html>";
    expect_refusal(ask(), 502, "tool_failed", "");
}

}  // namespace
}  // namespace gateway::api::helpers
