#include "gateway/api/helpers/query_request.hpp"

#include <gtest/gtest.h>

namespace gateway::api::helpers {
namespace {

std::string refusal(const char* body, bool with_effort) {
    auto made = parse_query_request(body, with_effort);
    EXPECT_FALSE(made) << body;
    return made ? "" : made.error().message;
}

TEST(a_query, is_a_text_and_an_effort) {
    EXPECT_EQ(parse_query_request(R"({"query":"a"})", true).value(), (query_request{"a", ""}));
    EXPECT_EQ(parse_query_request(R"({"query":"a","reasoning_effort":"low"})", true).value(),
              (query_request{"a", "low"}));
    EXPECT_EQ(parse_query_request(R"({"query":"a","reasoning_effort":null})", true).value(), (query_request{"a", ""}));
}

TEST(a_query, is_refused_by_name) {
    EXPECT_NE(refusal(R"({"query":5})", true).find("query"), std::string::npos);
    EXPECT_NE(refusal(R"({"query":""})", true).find("query"), std::string::npos);
    EXPECT_NE(refusal("{}", false).find("query"), std::string::npos);
    EXPECT_NE(refusal("[]", false).find("JSON object"), std::string::npos);
    EXPECT_NE(refusal("nonsense", true).find("JSON object"), std::string::npos);
    EXPECT_NE(refusal(R"({"query":"a","reasoning_effort":5})", true).find("reasoning_effort"), std::string::npos);
    EXPECT_NE(refusal(R"({"query":"a","reasoning_effort":"low"})", false).find("\"reasoning_effort\""),
              std::string::npos);
    EXPECT_NE(refusal(R"({"query":"a","qurey":"b"})", true).find("\"qurey\""), std::string::npos);
}

}  // namespace
}  // namespace gateway::api::helpers
