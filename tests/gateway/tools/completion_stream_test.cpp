#include "gateway/tools/completion_stream.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

constexpr std::size_t roomy = 1u << 20;

std::string chunk(const std::string& delta, const std::string& reason = "null") {
    return R"(data: {"model":"m-1","choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + reason +
           "}]}\n\n";
}
std::string text_chunk(const std::string& text) { return chunk(R"({"content":")" + text + R"("})"); }

const std::string hello = chunk(R"({"role":"assistant","content":null})") + text_chunk("Hel") + text_chunk("lo") +
                          chunk("{}", R"("stop")") +
                          "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"
                          "data: [DONE]\n\n";

result<completion> read(const std::string& body, std::size_t step = roomy, std::size_t limit = roomy) {
    completion_stream stream(limit);
    for (std::size_t at = 0; at < body.size(); at += step)
        if (auto fed = stream.feed(std::string_view(body).substr(at, step)); !fed) return fed.error();
    return stream.finish();
}
std::string error(const std::string& body, std::size_t limit = roomy) {
    auto made = read(body, roomy, limit);
    EXPECT_FALSE(made);
    return made ? "" : made.error().message;
}

TEST(a_completion, is_the_text_of_its_chunks_with_what_it_used) {
    completion expected{"Hello", "stop", "m-1", token_count{5, 2}};
    EXPECT_EQ(read(hello).value(), expected);
}

TEST(a_completion, may_come_byte_by_byte) { EXPECT_EQ(read(hello, 1).value(), read(hello).value()); }

TEST(a_completion, ends_with_its_last_event_whatever_follows) {
    completion_stream stream(roomy);
    EXPECT_TRUE(stream.feed(hello + text_chunk("more") + "data: nonsense\n\n"));
    EXPECT_TRUE(stream.is_done());
    EXPECT_EQ(stream.finish()->text, "Hello");
}

TEST(a_completion, needs_no_last_event_when_it_gave_its_reason) {
    EXPECT_EQ(read(text_chunk("a") + chunk("{}", R"("length")"))->finish_reason, "length");
}

TEST(a_completion, that_breaks_off_is_a_failure) {
    EXPECT_NE(error(text_chunk("abc")).find("broke off after 3 bytes"), std::string::npos);
    EXPECT_NE(error("").find("broke off"), std::string::npos);
}

TEST(a_completion, is_the_first_choice_only) {
    auto other = R"(data: {"choices":[{"index":1,"delta":{"content":"no"}}]})"
                 "\n\n";
    EXPECT_EQ(read(other + hello)->text, "Hello");
}

TEST(a_completion, may_have_its_text_in_parts_beside_its_reasoning) {
    auto parts =
        chunk(R"({"reasoning_content":"hm","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})");
    EXPECT_EQ(read(parts + chunk("{}", R"("stop")"))->text, "ab");
}

TEST(a_completion, passes_on_a_failure_that_the_server_reports) {
    auto told = read(text_chunk("a") + R"(data: {"error":{"message":"no capacity","type":"server_error"}})"
                                       "\n\n");
    EXPECT_EQ(told.error().code, errc::tool_failed);
    EXPECT_NE(told.error().message.find("no capacity"), std::string::npos);
    EXPECT_EQ(read(R"(data: {"error":{"message":"slow down","code":429}})"
                   "\n\n")
                  .error()
                  .code,
              errc::rate_limited);
    EXPECT_EQ(read(R"(data: {"error":{"message":"x","type":"rate_limit_error"}})"
                   "\n\n")
                  .error()
                  .code,
              errc::rate_limited);
}

TEST(a_completion, tells_a_refusal) {
    EXPECT_NE(error(chunk(R"({"refusal":"I will not"})") + chunk("{}", R"("stop")")).find("I will not"),
              std::string::npos);
}

TEST(a_completion, without_a_text_is_a_failure_that_says_so) {
    const std::string end = "data: [DONE]\n\n", stop = chunk("{}", R"("stop")");
    const std::string calls = chunk(R"({"role":"assistant","content":"","tool_calls":[{}]})");
    for (const auto& body : {R"(data: {"choices":[]})" + ("\n\n" + end), end, stop, chunk(R"({"content":null})") + stop,
                             calls + chunk("{}", R"("tool_calls")"), chunk(R"({"content":[]})") + stop,
                             R"(data: {"choices":[{"index":1,"delta":{"content":"hi"}}]})" + ("\n\n" + end)})
        EXPECT_NE(error(body).find("has no text"), std::string::npos) << body;
    EXPECT_NE(error(calls + chunk("{}", R"("tool_calls")")).find("finish_reason: tool_calls"), std::string::npos);
}

TEST(a_completion, may_be_an_empty_text) {
    EXPECT_EQ(read(text_chunk("") + chunk("{}", R"("stop")"))->text, "");
    for (const std::string reason : {"length", "content_filter"})
        EXPECT_EQ(read(chunk(R"({"content":null})", '"' + reason + '"'))->finish_reason, reason);
}

TEST(a_completion, that_is_something_else_is_a_failure) {
    for (const char* body :
         {"data: {\n\n", "data: 5\n\n", "data: {\"choices\":5}\n\n", "data: {\"choices\":[5]}\n\n",
          "data: {\"choices\":[{\"index\":\"a\",\"delta\":{\"content\":\"hi\"}}]}\n\n",
          "data: {\"choices\":[{\"delta\":5}]}\n\n", "data: {\"choices\":[{\"delta\":{\"content\":5}}]}\n\n"})
        EXPECT_NE(error(body).find("chat completions"), std::string::npos) << body;
}

TEST(a_completion, has_a_largest_size) {
    std::string many;
    for (int i = 0; i < 100; ++i) many += text_chunk("0123456789");
    EXPECT_NE(error(many, 500).find("larger than 500 bytes"), std::string::npos);
    EXPECT_NE(error("data: " + std::string(1000, 'x'), 500).find("larger than 500 bytes"), std::string::npos);
}

TEST(a_completion, may_be_one_object) {
    completion_stream stream(roomy);
    ASSERT_TRUE(stream.feed_object(R"({"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}})"));
    completion expected{"hi", "stop", "m", token_count{1, 2}};
    EXPECT_EQ(stream.finish().value(), expected);
    completion_stream other(roomy);
    EXPECT_FALSE(other.feed_object("<html>"));
}

}  // namespace
}  // namespace gateway::tools
