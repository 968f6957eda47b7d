#include "messaging/json_string.hpp"

#include <gtest/gtest.h>

namespace messaging {
namespace {

TEST(json_string, unquotes_every_escape) {
    EXPECT_EQ(unquote(R"("")"), "");
    EXPECT_EQ(unquote(R"("plain")"), "plain");
    EXPECT_EQ(unquote(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(unquote(R"("a\u00e9\u20AC\ud83d\ude00z")"), "a\u00e9\u20ac\U0001F600z");
    EXPECT_EQ(unquote(R"("\u0000")"), std::string(1, '\0'));
}

TEST(json_string, gives_the_replacement_character_for_what_is_no_character) {
    EXPECT_EQ(unquote(R"("\ud83d")"), "\uFFFD");
    EXPECT_EQ(unquote(R"("\udc80x")"), "\uFFFDx");
    EXPECT_EQ(unquote(R"("\ud83d\u0041")"), "\uFFFDA");
    EXPECT_EQ(unquote(R"("\ud83d\n")"), "\uFFFD\n");
    EXPECT_EQ(unquote("\"\xFF\""), "\uFFFD");
}

TEST(json_string, quotes_what_needs_it) {
    EXPECT_EQ(quote("a\"b\\c\n\x01\u00e9"), "\"a\\\"b\\\\c\\n\\u0001\u00e9\"");
    EXPECT_EQ(quote("\xFF"), "\"\uFFFD\"");
    EXPECT_EQ(unquote(quote("round\ttrip\x1f \"")), "round\ttrip\x1f \"");
}

TEST(json_string, gives_keys_by_meaning) {
    std::string storage;
    EXPECT_EQ(key_of({"msg_id", "1"}, storage), "msg_id");
    EXPECT_EQ(key_of({"msg\\u005fid", "1"}, storage), "msg_id");
}

TEST(json_string, finds_escapes_that_are_half_a_character) {
    constexpr auto none = std::string_view::npos;
    EXPECT_EQ(find_lone_surrogate(R"("a\n\u00e9\ud83d\ude00\\ud83d")"), none);
    EXPECT_EQ(find_lone_surrogate(R"("\ud83d")"), 1u);
    EXPECT_EQ(find_lone_surrogate(R"("\ude00\ud83d")"), 1u);
    EXPECT_EQ(find_lone_surrogate(R"("\ude00\ud83d")", 7), 7u);
    EXPECT_EQ(find_lone_surrogate(R"("\u0000\ud83d)"), 7u);
    EXPECT_EQ(find_lone_surrogate(R"("\u12)"), none);
}

TEST(json_string, escapes_what_must_be_wherever_it_stands) {
    const std::string plain = "0123456789 abcdef\x7f\xc3\xa9\xf0\x9f\x98\x80~";
    for (std::size_t at = 0; at <= 16; ++at) {
        for (unsigned code = 0; code < 0x80; ++code) {
            auto text = plain;
            text.insert(at, 1, static_cast<char>(code));
            auto literal = quote(text);
            EXPECT_EQ(unquote(literal), text) << at << " " << code;
            auto bare = std::string_view(literal).substr(1, literal.size() - 2);
            auto escaped = code < 0x20 || code == '"' || code == '\\';
            EXPECT_EQ(bare.find('\\') != std::string_view::npos, escaped) << at << " " << code;
        }
    }
}

}  // namespace
}  // namespace messaging
