#include "messaging/json_problem.hpp"

#include <gmock/gmock.h>

#include "messaging/json_scanner.hpp"
#include "messaging/utf8.hpp"

namespace messaging {
namespace {

using testing::HasSubstr;

TEST(json_problem, has_nothing_to_say_of_what_is_good) {
    for (const char* text : {"1", " {\"a\":[1.5e3,\"\\ud83d\\ude00 é\",null]} ", "\"\""})
        EXPECT_EQ(json_problem(text), "") << text;
    std::string deep = std::string(max_json_depth, '[') + std::string(max_json_depth, ']');
    EXPECT_EQ(json_problem(deep), "");
}

TEST(json_problem, says_what_is_wrong_and_where) {
    EXPECT_EQ(json_problem("{\"a\":\"\xff\"}"), "is not UTF-8 at byte 6");
    EXPECT_EQ(json_problem(std::string(max_json_depth + 1, '[')), "is nested deeper than 1024 levels");
    EXPECT_THAT(json_problem("{\"a\":}"), HasSubstr("is not JSON at byte 6: "));
    EXPECT_THAT(json_problem(""), HasSubstr("is not JSON"));
    EXPECT_THAT(json_problem("1 2"), HasSubstr("is not JSON at byte 3"));
    EXPECT_THAT(json_problem("[1e400]"), HasSubstr("overflow"));
    EXPECT_THAT(json_problem(R"(["\ud800"])"), HasSubstr("surrogate"));
    auto long_word = json_problem("\"" + std::string(100'000, 'x'));
    EXPECT_LT(long_word.size(), 300u);
    EXPECT_TRUE(is_utf8(long_word));
}

TEST(json_problem, finds_half_a_surrogate_pair_in_a_literal) {
    for (const char* good : {R"("")", R"("a\\ud800")", R"("\ud83d\ude00")", R"("\u00e9\n\"")"})
        EXPECT_EQ(literal_problem(good), "") << good;
    EXPECT_THAT(literal_problem(R"("ab\ud83d")"), HasSubstr(R"(\ud83d, half of a surrogate pair, at byte 2)"));
    EXPECT_THAT(literal_problem(R"("\ud83d\ud83d\ude00")"), HasSubstr("at byte 0"));
    EXPECT_THAT(literal_problem(R"("\ude00\ud83d")"), HasSubstr(R"(\ude00)"));
}

TEST(json_problem, finds_where_utf8_ends) {
    EXPECT_EQ(find_invalid_utf8("aé\xc3"), 3u);
    EXPECT_EQ(find_invalid_utf8("aé"), 3u);
    EXPECT_EQ(find_invalid_utf8(std::string(100, 'a') + "\xed\xa0\x80"), 100u);
}

}  // namespace
}  // namespace messaging
