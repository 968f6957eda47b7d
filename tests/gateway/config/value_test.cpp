#include "gateway/config/value.hpp"

#include <gtest/gtest.h>

namespace gateway::config {
namespace {

class Text : public testing::Test {
  protected:
    bool flag = false;
    integer number = 0;
    decimal fraction = 0;
    std::string text;
    strings list;
    counts table;
};

TEST_F(Text, BecomesABoolean) {
    EXPECT_EQ(*parse("true", &flag), value(true));
    EXPECT_EQ(*parse("1", &flag), value(true));
    EXPECT_EQ(*parse("false", &flag), value(false));
    EXPECT_FALSE(parse("TRUE!", &flag));
}

TEST_F(Text, BecomesAnInteger) {
    EXPECT_EQ(*parse("-12", &number), value(integer(-12)));
    EXPECT_EQ(*parse(" 12 ", &number), value(integer(12)));
    for (const char* wrong : {"", "1x", "0x10", "1.5", "99999999999999999999"})
        EXPECT_FALSE(parse(wrong, &number)) << wrong;
}

TEST_F(Text, BecomesANumber) {
    EXPECT_EQ(*parse(" 0.5 ", &fraction), value(0.5));
    EXPECT_EQ(to_text(*parse("2", &fraction)), "2");
    for (const char* wrong : {"", "1x", "0,5", "half"}) EXPECT_FALSE(parse(wrong, &fraction)) << wrong;
}

TEST_F(Text, StaysAText) { EXPECT_EQ(*parse(" as it is, ", &text), value(std::string(" as it is, "))); }

TEST_F(Text, BecomesAList) {
    EXPECT_EQ(*parse("a, b ,c", &list), value(strings{"a", "b", "c"}));
    EXPECT_EQ(*parse("", &list), value(strings{}));
}

TEST_F(Text, BecomesATableOfCounts) {
    EXPECT_EQ(*parse("python3=2,ir=1", &table), value(counts{{"python3", 2}, {"ir", 1}}));
    for (const char* wrong : {"python3", "=1", "a=b"}) EXPECT_FALSE(parse(wrong, &table)) << wrong;
}

TEST(Value, IsWrittenAsToml) {
    EXPECT_EQ(to_text(true), "true");
    EXPECT_EQ(to_text(integer(5)), "5");
    EXPECT_EQ(to_text(std::string("a\"b\n")), "\"a\\\"b\\n\"");
    EXPECT_EQ(to_text(strings{"a", "b"}), "[\"a\", \"b\"]");
    EXPECT_EQ(to_text(counts{{"a", 1}}), "{a = 1}");
}

}  // namespace
}  // namespace gateway::config
