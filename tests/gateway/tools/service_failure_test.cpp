#include "gateway/tools/service_failure.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

using std::chrono::seconds;

const service_name who{"the model server", "llm", "sk-secret"};
const auto noon = std::chrono::system_clock::from_time_t(1'445'412'480);  // Wed, 21 Oct 2015 07:28:00 GMT

bool has(const failure& what, const char* part) { return what.message.find(part) != std::string::npos; }

TEST(a_refusal, says_what_the_server_said_on_one_line) {
    auto made = service_refusal(who, 400, {}, R"({"error":{"message":"too\nlong","code":"x"}})");
    EXPECT_EQ(made.code, errc::tool_failed);
    EXPECT_EQ(made.message, "the model server answered HTTP 400: too long");
    EXPECT_TRUE(has(service_refusal(who, 500, {}, R"({"detail":"overloaded"})"), "overloaded"));
    EXPECT_TRUE(has(service_refusal(who, 502, {}, "<html>bad gateway</html>"), "<html>bad gateway"));
    EXPECT_LT(service_refusal(who, 500, {}, std::string(5000, 'x')).message.size(), 300u);
}

TEST(a_refusal, says_where_to_look) {
    EXPECT_TRUE(has(service_refusal(who, 404, {}, ""), "[llm]"));
    EXPECT_TRUE(has(service_refusal(who, 302, {}, ""), "redirect"));
    auto unauthorized = service_refusal(who, 401, {}, R"({"error":{"message":"Incorrect API key sk-***ret"}})");
    EXPECT_TRUE(has(unauthorized, "api_key") && has(unauthorized, "[llm]"));
    EXPECT_FALSE(has(unauthorized, "***"));
}

TEST(a_refusal, never_repeats_the_key) {
    EXPECT_EQ(service_refusal(who, 400, {}, "bad sk-secret, sk-secret").message,
              "the model server answered HTTP 400: bad (hidden), (hidden)");
    EXPECT_EQ(service_failure(who, {errc::tool_failed, "sk-secret"}).message, "the model server: (hidden)");
}

TEST(a_refusal, for_too_many_calls_says_when_to_come_back) {
    auto made = service_refusal(who, 429, {{"Retry-After", "7"}}, "");
    EXPECT_EQ(made.code, errc::rate_limited);
    EXPECT_EQ(made.retry_after, seconds(7));
}

TEST(retry_after, is_seconds_or_a_date) {
    auto read = [](const char* name, const char* value) { return retry_after({{name, value}}, noon); };
    EXPECT_EQ(read("retry-after", "0"), seconds(0));
    EXPECT_EQ(read("Retry-After", "120"), seconds(120));
    EXPECT_EQ(read("retry-after-ms", "1500"), seconds(2));
    EXPECT_EQ(read("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"), seconds(30));
    EXPECT_EQ(read("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT"), seconds(0));
    EXPECT_EQ(read("retry-after", "9223372036854775807"), seconds(1'000'000'000));
    for (const char* nonsense : {"", "soon", "-1", "1.5", "Wed, 21 Oct 2015"})
        EXPECT_EQ(read("retry-after", nonsense), seconds(0)) << nonsense;
    EXPECT_EQ(retry_after({}, noon), seconds(0));
}

}  // namespace
}  // namespace gateway::tools
