#include "messaging/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace messaging {
namespace {

TEST(utf8, accepts_every_length_of_sequence_at_every_distance_from_a_block_border) {
    for (std::string sequence : {"a", "\u00e9", "\u20ac", "\U0001F600", "\U0010FFFF"})
        for (std::size_t before = 0; before < 18; ++before)
            EXPECT_TRUE(is_utf8(std::string(before, 'x') + sequence + "tail")) << before;
}

TEST(utf8, refuses_what_unicode_refuses) {
    const std::vector<std::string> bad = {
        "\x80",              // a continuation alone
        "\xC0\xAF",          // overlong
        "\xC1\xBF",          //
        "\xE0\x80\xAF",      //
        "\xF0\x8F\xBF\xBF",  //
        "\xED\xA0\x80",      // a surrogate
        "\xF4\x90\x80\x80",  // above U+10FFFF
        "\xF5\x80\x80\x80",  //
        "\xFF",              //
        "\xE2\x82",          // cut short
        "\xE2\x82x",         //
    };
    for (const auto& each : bad) {
        EXPECT_FALSE(is_utf8(each)) << testing::PrintToString(each);
        EXPECT_FALSE(is_utf8("0123456789" + each));
        EXPECT_TRUE(is_utf8(replace_invalid_utf8(each)));
    }
}

TEST(utf8, replaces_each_ill_formed_stretch_once_and_keeps_the_rest) {
    EXPECT_EQ(replace_invalid_utf8("a\xE2\x82z"), "a\uFFFDz");
    EXPECT_EQ(replace_invalid_utf8("\xFF\xFE"), "\uFFFD\uFFFD");
    EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(replace_invalid_utf8("gr\u00fcn \U0001F600 long enough text"), "gr\u00fcn \U0001F600 long enough text");
}

TEST(utf8, writes_code_points_of_every_length) {
    std::string text;
    for (std::uint32_t each : {0x41u, 0xE9u, 0x20ACu, 0x1F600u}) append_utf8(text, each);
    EXPECT_EQ(text, "A\u00e9\u20ac\U0001F600");
}

TEST(utf8, knows_which_last_bytes_begin_a_character) {
    for (auto whole : {"", "a", "\u00e9", "\u20ac", "\U0001F600", "x\u20ac"}) EXPECT_EQ(unfinished_suffix(whole), 0u);
    EXPECT_EQ(unfinished_suffix("a\xC3"), 1u);
    EXPECT_EQ(unfinished_suffix("a\xE2"), 1u);
    EXPECT_EQ(unfinished_suffix("a\xE2\x82"), 2u);
    EXPECT_EQ(unfinished_suffix("\xF0\x9F\x98"), 3u);
    for (auto hopeless : {"\x82", "\xFF", "\xC0", "\xE0\x80", "\xED\xA0", "\xE2\x82\x82\x82", "\xF5\x80"})
        EXPECT_EQ(unfinished_suffix(hopeless), 0u) << testing::PrintToString(hopeless);
}

TEST(utf8, is_cut_between_characters) {
    EXPECT_EQ(first_bytes("abc", 3), "abc");
    EXPECT_EQ(first_bytes("abc", 2), "ab");
    EXPECT_EQ(first_bytes("a\u20acb", 3), "a");
    EXPECT_EQ(first_bytes("a\u20acb", 4), "a\u20ac");
    EXPECT_EQ(first_bytes("\U0001F600", 3), "");
}

}  // namespace
}  // namespace messaging
