#include "gateway/tools/chat_request.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::tools {
namespace {

using nlohmann::json;

json sent(const chat_request& what, const refused_fields& without = {}) {
    return json::parse(encode(what, "m-1", without));
}
std::string refusal(const std::string& arguments) {
    auto made = parse_chat_arguments(json::parse(arguments));
    EXPECT_FALSE(made) << arguments;
    return made ? "" : made.error().message;
}

TEST(a_question, is_streamed_and_asks_for_what_it_used) {
    auto body = sent(ask_model("why?", "low").value());
    EXPECT_EQ(body["model"], "m-1");
    EXPECT_EQ(body["stream"], true);
    EXPECT_EQ(body["stream_options"], json({{"include_usage", true}}));
    EXPECT_EQ(body["messages"][1], json({{"role", "user"}, {"content", "why?"}}));
    EXPECT_EQ(body["messages"][0]["role"], "system");
    EXPECT_EQ(body["reasoning_effort"], "low");
    EXPECT_FALSE(body.contains("temperature") || body.contains("max_tokens"));
}

TEST(a_question, counts_characters_not_bytes) { EXPECT_EQ(ask_model("äé\xf0\x9f\x98\x80", "")->characters, 3u); }

TEST(a_question, needs_a_query_and_a_known_effort) {
    EXPECT_FALSE(ask_model("", ""));
    EXPECT_NE(ask_model("a", "huge").error().message.find("\"low\", \"medium\" or \"high\""), std::string::npos);
}

TEST(the_tools_arguments, are_passed_on_but_for_the_model) {
    auto what = parse_chat_arguments(json::parse(R"({"model":"openai/gpt-oss-120b","temperature":0.5,"top_p":1,
        "max_tokens":7,"stop":["x"],"reasoning_effort":"high","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]})"));
    auto body = sent(what.value());
    EXPECT_EQ(body["model"], "m-1");
    EXPECT_EQ(body["temperature"], 0.5);
    EXPECT_EQ(body["top_p"], 1);
    EXPECT_EQ(body["max_tokens"], 7);
    EXPECT_EQ(body["stop"], json({"x"}));
    EXPECT_EQ(body["reasoning_effort"], "high");
    EXPECT_EQ(body["messages"].size(), 2u);
}

TEST(the_tools_arguments, are_refused_by_name) {
    for (auto [arguments, name] : std::vector<std::pair<const char*, const char*>>{
             {"{}", "messages"},
             {R"({"messages":[]})", "messages"},
             {R"({"messages":[{"role":"user"}]})", "messages"},
             {R"({"messages":[{"role":"robot","content":"x"}]})", "messages"},
             {R"({"messages":[{"role":"user","content":"x","name":"y"}]})", "messages"},
             {R"({"messages":"x"})", "messages"},
             {R"({"temperature":3})", "temperature"},
             {R"({"temperature":"hot"})", "temperature"},
             {R"({"top_p":-1})", "top_p"},
             {R"({"max_tokens":0})", "max_tokens"},
             {R"({"max_completion_tokens":1.5})", "max_completion_tokens"},
             {R"({"stop":[1]})", "stop"},
             {R"({"reasoning_effort":"extreme"})", "reasoning_effort"},
             {R"({"tools":[]})", "tools"}})
        EXPECT_NE(refusal(arguments).find(name), std::string::npos) << arguments;
}

TEST(what_a_server_refuses, is_left_out) {
    chat_request what = ask_model("a", "low").value();
    what.temperature = 0.5;
    what.max_tokens = 9;
    refused_fields without;
    EXPECT_TRUE(learn(without, what, R"({"error":{"param":"temperature","message":"Unsupported value"}})"));
    EXPECT_TRUE(learn(without, what, R"(Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.)"));
    EXPECT_TRUE(learn(without, what, R"({"detail":[{"loc":["body","stream_options"]}]})"));
    EXPECT_TRUE(learn(without, what, "Unrecognized request argument supplied: reasoning_effort"));
    auto body = sent(what, without);
    for (const char* gone : {"temperature", "max_tokens", "stream_options", "reasoning_effort"})
        EXPECT_FALSE(body.contains(gone)) << gone;
    EXPECT_EQ(body["max_completion_tokens"], 9);
}

TEST(what_a_server_refuses, is_learnt_once_and_only_if_it_was_sent) {
    chat_request what = ask_model("a", "").value();
    refused_fields without;
    EXPECT_FALSE(learn(without, what, "temperature reasoning_effort top_p max_completion_tokens"));
    EXPECT_FALSE(learn(without, what, "the model does not exist"));
    EXPECT_TRUE(learn(without, what, "stream_options"));
    EXPECT_FALSE(learn(without, what, "stream_options"));
}

}  // namespace
}  // namespace gateway::tools
