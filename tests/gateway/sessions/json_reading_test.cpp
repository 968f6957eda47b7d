#include "gateway/sessions/json_reading.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::sessions {
namespace {

std::string text_in(const std::string& json) { return text_of(parse_object(json), "text"); }

TEST(json_reading, takes_what_is_no_object_for_an_empty_one) {
    for (const char* text : {"", "[]", "7", "{", "not JSON"})
        EXPECT_EQ(parse_object(text), nlohmann::json::object()) << text;
    std::string deep = "{\"a\":" + std::string(5'000, '[') + std::string(5'000, ']') + "}";
    EXPECT_EQ(parse_object(deep), nlohmann::json::object());
}

TEST(json_reading, keeps_the_text_around_what_is_not_utf8) {
    EXPECT_EQ(text_in("{\"text\":\"a\xff"
                      "b\"}"),
              "a\uFFFD"
              "b");
}

TEST(json_reading, keeps_the_text_around_half_a_character) {
    EXPECT_EQ(text_in(R"({"text":"a\ud800b"})"),
              "a\uFFFD"
              "b");
    EXPECT_EQ(text_in(R"({"text":"\udc00\ud83d\ude00\ud83d"})"), "\uFFFD\U0001F600\uFFFD");
    EXPECT_EQ(text_in(R"({"text":"\ud800\\ud83d\n"})"), "\uFFFD\\ud83d\n");
    EXPECT_EQ(text_in(R"({"text":"\ud800\ud800\udc00"})"), "\uFFFD\U00010000");
}

TEST(json_reading, gives_nothing_for_members_of_another_type) {
    auto object = parse_object(R"({"text":7,"object":[],"flag":"true"})");
    EXPECT_EQ(text_of(object, "text"), "");
    EXPECT_EQ(object_of(object, "object"), nlohmann::json::object());
    EXPECT_FALSE(is_true(object, "flag"));
}

}  // namespace
}  // namespace gateway::sessions
