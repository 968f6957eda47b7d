#include "gateway/api/helpers/execute_request.hpp"

#include <gtest/gtest.h>

namespace gateway::api::helpers {
namespace {

TEST(parse_execute_request, reads_a_call) {
    EXPECT_EQ(*parse_execute_request(R"({"tool_slug":"A_B","arguments":{"x": [1]},"account":null})"),
              (execute_request{"A_B", R"({"x": [1]})", ""}));
    EXPECT_EQ(parse_execute_request(R"({"tool_slug":"A_B"})")->arguments, "{}");
}

struct bad {
    std::string body;
    const char* said;
    errc code = errc::invalid_request;
};

TEST(parse_execute_request, says_what_to_change) {
    const bad cases[] = {
        {"", "must be a JSON object"},
        {"[]", "must be a JSON object"},
        {"{\"tool_slug\":\"A_B\"", "must be a JSON object"},
        {"{\"tool_slug\":\"A_B\",\"arguments\":{\"x\":\"\xff\"}}", "must be a JSON object"},
        {R"({"tool_slug":"A_B","arguments":{"x":"\ud800"}})", "must be a JSON object"},
        {R"({"tool_slug":"A_B"} {})", "must be a JSON object"},
        {"{}", "tool_slug is missing"},
        {R"({"tool_slug":""})", "tool_slug is missing"},
        {R"({"tool_slug":5})", "tool_slug must be a string"},
        {R"({"tool_slug":"A_B","arguments":[]})", "arguments must be an object"},
        {R"({"tool_slug":"A_B","arguments":null})", "arguments must be an object"},
        {R"({"tool_slug":"A_B","account":5})", "account must be a string"},
        {R"({"tool_slug":"A_B","argument":{}})", "unknown field \"argument\"", errc::unknown_field},
        {R"({"tool_slug":"A_B","arguments":)" + std::string(100'000, '['), "must be a JSON object"},
    };
    for (const auto& each : cases) {
        auto parsed = parse_execute_request(each.body);
        ASSERT_FALSE(parsed) << each.body;
        EXPECT_EQ(parsed.error().code, each.code) << each.body;
        EXPECT_NE(parsed.error().message.find(each.said), std::string::npos) << parsed.error().message;
    }
}

TEST(failure_body, has_the_shape_of_an_execute_response) {
    EXPECT_EQ(failure_body("no \"x\"", "log_1"), R"({"data":{},"error":"no \"x\"","log_id":"log_1"})");
}

}  // namespace
}  // namespace gateway::api::helpers
