#include "gateway/api/helpers/model_route.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/api/helpers/service_fixture.hpp"

namespace gateway::api::helpers {
namespace {

std::string completed(const std::string& text, const char* finish = "stop") {
    json delta = {{"choices", {{{"index", 0}, {"delta", {{"content", text}}}, {"finish_reason", finish}}}}};
    return "data: " + delta.dump() + "\n\ndata: [DONE]\n\n";
}

struct model_route : service_fixture {
    tools::model_options options;
    std::unique_ptr<tools::model> asked;

    void add_routes(endpoint& to) override {
        type = "text/event-stream";
        body = completed("```\nbees\n```");
        options.base_url = server.url("/v1");
        options.name = "m-1";
        options.per_session.calls = 2;
        asked = tools::make_model(io.get_executor(), options);
        add_model_route(to, *asked, finder());
    }
    answer ask(const std::string& body = R"({"query":"why?","reasoning_effort":"low"})", const char* key = "good") {
        return send(post("/v1/llm", body, key));
    }
};

TEST_F(model_route, answers_without_the_fence_and_counts_for_the_session) {
    auto got = ask();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json({{"text", "bees"}}));
    EXPECT_EQ(asked_by, std::vector<std::string>{"ses_1"});
    EXPECT_EQ(meters->model.calls(), 1u);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["messages"].back()["content"], "why?");
    EXPECT_EQ(sent[0]["reasoning_effort"], "low");
}

TEST_F(model_route, says_that_an_answer_is_cut) {
    body = completed("be", "length");
    auto got = ask();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["text"], "be");
    EXPECT_TRUE(has(got.body["incomplete"], "llm.max_tokens"));
}

TEST_F(model_route, names_what_it_does_not_know) {
    expect_refusal(ask(R"({"query":"why?","qurey":"x"})"), 400, "unknown_field", "\"qurey\"");
    expect_refusal(ask("{\"query\":"), 400, "invalid_request", "JSON object");
    expect_refusal(ask(R"({"query":"why?","reasoning_effort":"much"})"), 400, "invalid_request", "reasoning_effort");
    expect_refusal(ask(R"({"query":")" + std::string(110'000, 'x') + "\"}"), 413, "too_large", "100000");
    EXPECT_TRUE(sent.empty());
}

TEST_F(model_route, wants_a_sessions_key) {
    expect_refusal(ask(R"({"query":"why?"})", "bad"), 401, "unauthorized", "key");
    EXPECT_TRUE(asked_by.empty());
}

TEST_F(model_route, says_which_limit_is_reached) {
    EXPECT_EQ(ask().status, 200);
    EXPECT_EQ(ask().status, 200);
    expect_refusal(ask(), 403, "limit_reached", "llm.max_calls_per_session");
    EXPECT_EQ(sent.size(), 2u);
}

TEST_F(model_route, tells_what_the_server_said_when_it_fails) {
    status = "500 Internal Server Error";
    type = "application/json";
    body = R"({"error":{"message":"out of memory"}})";
    expect_refusal(ask(), 502, "tool_failed", "out of memory");
    status = "429 Too Many Requests";
    more = "Retry-After: 7\r\n";
    expect_refusal(ask(), 429, "rate_limited", "");
}

struct model_route_without_a_model : service_fixture {
    std::unique_ptr<tools::model> none = tools::make_model(io.get_executor(), {});

    void add_routes(endpoint& to) override { add_model_route(to, *none, finder()); }
};

TEST_F(model_route_without_a_model, says_what_to_set) {
    expect_refusal(send(post("/v1/llm", R"({"query":"why?"})")), 404, "not_found", "llm.base_url");
}

}  // namespace
}  // namespace gateway::api::helpers
