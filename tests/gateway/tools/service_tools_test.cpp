#include "gateway/tools/service_tools.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/await.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;
using test_support::await;

// What is asked of them is kept; what they answer is set.
struct fake_model final : model {
    bool is_there = true;
    result<completion> answer = completion{"```\nhi\n```", "stop", "m-1", token_count{3, 1}};
    chat_request asked;
    service_totals counted;

    bool is_configured() const override { return is_there; }
    awaitable<result<completion>> complete(chat_request what, shared_meters) override {
        asked = std::move(what);
        co_return answer;
    }
    const service_totals& totals() const override { return counted; }
};
struct fake_search final : web_search {
    bool is_there = true;
    result<search_answer> answer = search_answer{"In 2026.", {{"T", "u", "x"}}};
    std::string asked;
    service_totals counted;

    bool is_configured() const override { return is_there; }
    awaitable<result<search_answer>> search(std::string query, shared_meters) override {
        asked = std::move(query);
        co_return answer;
    }
    const service_totals& totals() const override { return counted; }
};
struct fake_toolkits final : toolbox {
    std::string called;

    awaitable<result<std::string>> execute(std::string slug, std::string, tool_caller) override {
        called = std::move(slug);
        co_return failure{errc::not_found, "there is no such tool"};
    }
    awaitable<std::vector<tool_description>> list() override {
        std::vector<tool_description> made{{"FILES_READ", "FILES", "read", "reads", "{}"}};
        co_return made;
    }
    bool empty() const override { return true; }
    awaitable<void> stop() override { co_return; }
};

struct the_services : testing::Test {
    asio::io_context io;
    fake_model asked;
    fake_search searched;
    fake_toolkits others;
    std::unique_ptr<toolbox> box = make_service_tools(others, asked, searched);
    shared_meters whose = std::make_shared<meters>(io.get_executor());

    result<std::string> call(const std::string& slug, const std::string& arguments) {
        return await(io, box->execute(slug, arguments, whose));
    }
    json answer(const std::string& slug, const std::string& arguments) {
        auto made = call(slug, arguments);
        EXPECT_TRUE(made) << made.error().message;
        return json::parse(made ? *made : "{}");
    }
    std::vector<std::string> slugs() {
        std::vector<std::string> made;
        for (auto& each : await(io, box->list())) made.push_back(each.slug);
        return made;
    }
};

const std::string question =
    R"({"model":"openai/gpt-oss-120b","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"temperature":0.5})";

TEST_F(the_services, answer_the_published_helpers_question) {
    auto got = answer("COMPOSIO_SEARCH_GROQ_CHAT", question);
    EXPECT_EQ(got["data"]["choices"][0]["message"]["content"], "```\nhi\n```");
    EXPECT_EQ(got["data"]["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(got["data"]["usage"]["total_tokens"], 4);
    EXPECT_TRUE(got["error"].is_null() && got["log_id"].is_string());
    EXPECT_EQ(asked.asked.temperature, 0.5);
}

TEST_F(the_services, answer_the_published_helpers_search) {
    auto got = answer(" composio_search_exa_answer ", R"({"content":"eclipse?"})");
    EXPECT_EQ(got["data"]["answer"], "In 2026.");
    EXPECT_EQ(got["data"]["citations"][0]["url"], "u");
    EXPECT_EQ(searched.asked, "eclipse?");
}

TEST_F(the_services, pass_failures_on) {
    asked.answer = failure{errc::rate_limited, "slow down", std::chrono::seconds(3)};
    searched.answer = failure{errc::timeout, "too long"};
    EXPECT_EQ(call("COMPOSIO_SEARCH_GROQ_CHAT", question).error().retry_after, std::chrono::seconds(3));
    EXPECT_EQ(call("COMPOSIO_SEARCH_EXA_ANSWER", R"({"content":"x"})").error().code, errc::timeout);
}

TEST_F(the_services, refuse_arguments_by_name) {
    for (auto [arguments, name] :
         std::vector<std::pair<const char*, const char*>>{{"{}", "content"},
                                                          {R"({"content":5})", "content"},
                                                          {R"({"content":"x","size":1})", "size"},
                                                          {"[]", "JSON object"}})
        EXPECT_NE(call("COMPOSIO_SEARCH_EXA_ANSWER", arguments).error().message.find(name), std::string::npos)
            << arguments;
    EXPECT_EQ(call("COMPOSIO_SEARCH_GROQ_CHAT", R"({"seed":1})").error().code, errc::unknown_field);
}

TEST_F(the_services, leave_every_other_slug_to_the_toolkits) {
    EXPECT_EQ(call("COMPOSIO_SEARCH_TOOLS", "{}").error().code, errc::not_found);
    EXPECT_EQ(others.called, "COMPOSIO_SEARCH_TOOLS");
}

TEST_F(the_services, are_listed_while_they_are_configured) {
    EXPECT_EQ(slugs(),
              (std::vector<std::string>{"FILES_READ", "COMPOSIO_SEARCH_GROQ_CHAT", "COMPOSIO_SEARCH_EXA_ANSWER"}));
    EXPECT_FALSE(box->empty());
    asked.is_there = searched.is_there = false;
    EXPECT_EQ(slugs(), std::vector<std::string>{"FILES_READ"});
    EXPECT_TRUE(box->empty());
}

TEST_F(the_services, have_schemas_that_are_json) {
    for (const auto& each : await(io, box->list())) EXPECT_TRUE(json::accept(each.input_schema)) << each.slug;
}

}  // namespace
}  // namespace gateway::tools
