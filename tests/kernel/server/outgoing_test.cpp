#include "kernel/server/outgoing.hpp"

#include <gtest/gtest.h>

#include "kernel/server/kept_messages.hpp"

namespace kernel {
namespace {

TEST(with_number, adds_a_member_behind_those_that_are_there) {
    EXPECT_EQ(with_number("{}", 1), R"({"cellgate_seq":1})");
    EXPECT_EQ(with_number(" { } \n", 2), R"( { "cellgate_seq":2})");
    EXPECT_EQ(with_number(R"({"a":{}})", 3), R"({"a":{},"cellgate_seq":3})");
}

TEST(with_number, replaces_what_is_no_object) {
    for (auto odd : {"", " ", "null", "[]", "{", "}", "{]"}) EXPECT_EQ(with_number(odd, 4), R"({"cellgate_seq":4})");
}

TEST(with_resent, adds_a_member_behind_the_number) {
    EXPECT_EQ(with_resent(with_number(R"({"a":{}})", 3), 1), R"({"a":{},"cellgate_seq":3,"cellgate_resent":1})");
    EXPECT_EQ(with_resent(with_number("", 1), 20), R"({"cellgate_seq":1,"cellgate_resent":20})");
}

class kept_messages_test : public testing::Test {
  protected:
    void keep(std::uint64_t number, std::size_t size) { kept.keep(share({std::string(size, 'x')}, number)); }

    kept_messages kept{100};
};

TEST_F(kept_messages_test, has_nothing_at_first) {
    auto found = kept.find_after(0);
    EXPECT_EQ(found.range.first, 0u);
    EXPECT_EQ(found.range.last, 0u);
    EXPECT_TRUE(found.messages.empty());
}

TEST_F(kept_messages_test, lets_the_oldest_go_when_the_newest_need_their_place) {
    for (std::uint64_t number = 1; number <= 5; ++number) keep(number, 30);
    auto found = kept.find_after(0);
    EXPECT_EQ(found.range.first, 3u);
    EXPECT_EQ(found.range.last, 5u);
    EXPECT_EQ(found.messages.size(), 3u);
}

TEST_F(kept_messages_test, finds_those_with_greater_numbers) {
    for (std::uint64_t number = 1; number <= 3; ++number) keep(number, 10);
    EXPECT_EQ(kept.find_after(1).messages.front()->number, 2u);
    EXPECT_TRUE(kept.find_after(3).messages.empty());
}

TEST_F(kept_messages_test, keeps_nothing_that_is_larger_than_all_it_may_have) {
    keep(1, 30);
    keep(2, 101);
    auto found = kept.find_after(0);
    EXPECT_EQ(found.range.first, 0u);
    EXPECT_EQ(found.range.last, 2u);
    EXPECT_TRUE(found.messages.empty());
    keep(3, 100);
    EXPECT_EQ(kept.find_after(0).range.first, 3u);
}

}  // namespace
}  // namespace kernel
