#include "messaging/json_members.hpp"

#include <gtest/gtest.h>

#include <string>

namespace messaging {
namespace {

TEST(json_members, gives_texts_flags_and_integers_by_name) {
    const std::string object =
        R"({"name": "std\u006fut", "text": "a\n", "silent": true, "count": -7, "inner": {"x": 1}})";
    json_members members(object);
    EXPECT_EQ(members.size(), 5u);
    EXPECT_EQ(members.text("name"), "stdout");
    EXPECT_EQ(members.text("text"), "a\n");
    EXPECT_TRUE(members.is_true("silent"));
    EXPECT_EQ(members.integer("count"), -7);
    EXPECT_EQ(json_members(members.value("inner")).integer("x"), 1);
}

TEST(json_members, gives_nothing_for_what_is_not_there_or_of_another_type) {
    json_members members(R"({"text": 7, "flag": "true", "count": 7.5, "big": 99999999999, "none": null})");
    for (auto name : {"text", "other", "none"}) EXPECT_EQ(members.text(name), "") << name;
    for (auto name : {"flag", "other", "none"}) EXPECT_FALSE(members.is_true(name)) << name;
    for (auto name : {"flag", "count", "big", "other", "none"}) EXPECT_FALSE(members.integer(name)) << name;
    EXPECT_TRUE(members.contains("none"));
    EXPECT_FALSE(members.contains("other"));
}

TEST(json_members, takes_the_last_of_a_repeated_name_and_reads_escaped_names) {
    json_members members(R"({"a": 1, "\u0061": 2})");
    EXPECT_EQ(members.integer("a"), 2);
}

TEST(json_members, has_none_when_the_text_is_not_one_object) {
    for (auto text : {"", "[]", "7", "{", R"({"a": 1} x)", R"({"a": 1,})", R"({"a": tru})"})
        EXPECT_EQ(json_members(text).size(), 0u) << text;
    const std::string deep = R"({"a": 1, "b": )" + std::string(5'000, '[') + std::string(5'000, ']') + "}";
    EXPECT_FALSE(json_members(deep).contains("a"));
}

TEST(json_members, mends_text_that_is_not_utf8) {
    EXPECT_EQ(json_members("{\"text\": \"a\xff\"}").text("text"), "a\uFFFD");
    EXPECT_EQ(json_members(R"({"text": "\ud800b"})").text("text"),
              "\uFFFD"
              "b");
}

}  // namespace
}  // namespace messaging
