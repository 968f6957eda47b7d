#include "messaging/json_scanner.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace messaging {
namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

pairs members_of(std::string_view text, bool& valid) {
    pairs found;
    member_scanner members(text);
    json_member each;
    while (members.next(each)) found.emplace_back(each.key, each.value);
    valid = members.valid();
    return found;
}

bool is_object_text(std::string_view text) {
    bool valid = false;
    members_of(text, valid);
    return valid;
}

TEST(json_scanner, gives_members_as_the_bytes_that_they_are) {
    bool valid = false;
    auto found =
        members_of(" { \"a\" : [1, {\"b\":\"}\"}] ,\n\"c\\u0064\":\"x\\\"y\",\"n\":-1.5e+3 , \"t\":true} \n", valid);
    EXPECT_TRUE(valid);
    EXPECT_EQ(found, (pairs{{"a", "[1, {\"b\":\"}\"}]"}, {"c\\u0064", "\"x\\\"y\""}, {"n", "-1.5e+3"}, {"t", "true"}}));
}

std::vector<std::string> elements_of(std::string_view text, bool& valid) {
    std::vector<std::string> found;
    element_scanner elements(text);
    std::string_view each;
    while (elements.next(each)) found.emplace_back(each);
    valid = elements.valid();
    return found;
}

TEST(json_scanner, gives_elements_as_the_bytes_that_they_are) {
    bool valid = false;
    auto found = elements_of(" [ 1 , [2,\"]\"],{\"a\":[]}\n,null ] ", valid);
    EXPECT_TRUE(valid);
    EXPECT_EQ(found, (std::vector<std::string>{"1", "[2,\"]\"]", "{\"a\":[]}", "null"}));
    EXPECT_TRUE(elements_of("[ ]", valid).empty());
    EXPECT_TRUE(valid);
}

TEST(json_scanner, knows_a_text_that_is_no_array) {
    for (const char* text : {"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "{}", "1", "[1],", "[\"", "[[1]"}) {
        bool valid = true;
        elements_of(text, valid);
        EXPECT_FALSE(valid) << text;
    }
}

TEST(json_scanner, gives_repeated_keys_in_their_order) {
    bool valid = false;
    EXPECT_EQ(members_of(R"({"a":1,"a":2})", valid), (pairs{{"a", "1"}, {"a", "2"}}));
    EXPECT_TRUE(valid);
}

TEST(json_scanner, takes_the_empty_object) {
    EXPECT_TRUE(is_object_text("{}"));
    EXPECT_TRUE(is_object_text(" {\t} "));
}

TEST(json_scanner, refuses_what_is_not_one_whole_object) {
    for (const char* text : {"",           " ",       "{",        "}",        "[]",       "1",
                             "null",       "\"a\"",   "{}x",      "{}{}",     "{\"a\":1", "{\"a\":1,",
                             "{\"a\":1,}", "{,}",     "{\"a\"}",  "{\"a\":}", "{a:1}",    "{\"a\":1 \"b\":2}",
                             "{\"a\"::1}", "{'a':1}", "{\"a\":1]"})
        EXPECT_FALSE(is_object_text(text)) << text;
}

TEST(json_scanner, agrees_with_nlohmann_on_single_values) {
    for (const char* text : {"0",           "-0",
                             "01",          "-",
                             "1.",          ".5",
                             "1e",          "1e5",
                             "1E-2",        "1e+",
                             "+1",          "0x1",
                             "--1",         "1.0.0",
                             "NaN",         "Infinity",
                             "true",        "tru",
                             "nulls",       "null",
                             "\"\"",        "\"",
                             "\"\\\"",      "\"\\x\"",
                             "\"\\u12\"",   "\"\\u12g4\"",
                             "\"\\u00e9\"", "\"\n\"",
                             "\"\t\"",      "\"0123456\x01 89\"",
                             "[]",          "[,]",
                             "[1,]",        "[1 2]",
                             "[[[]]]",      "[{}]",
                             "[{]}",        "{\"a\":[1,2,{\"b\":null}]}",
                             "[\"a\",",     "[1]]",
                             "/*c*/1",      "\"\x7f\""})
        EXPECT_EQ(is_json(text), nlohmann::json::accept(text)) << text;
}

TEST(json_scanner, finds_the_end_of_a_string_wherever_it_lies) {
    for (std::size_t length = 0; length < 40; ++length) {
        std::string value = "\"" + std::string(length, 'x') + "\"";
        bool valid = false;
        EXPECT_EQ(members_of("{\"k\":" + value + "}", valid), (pairs{{"k", value}}));
        EXPECT_TRUE(valid);
    }
}

TEST(json_scanner, lets_a_lone_surrogate_escape_pass) { EXPECT_TRUE(is_object_text(R"({"text":"\udc80"})")); }

TEST(json_scanner, bounds_the_depth) {
    auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(is_json(nested(max_json_depth)));
    EXPECT_FALSE(is_json(nested(max_json_depth + 1)));
    EXPECT_FALSE(is_json(std::string(10'000'000, '[')));
}

}  // namespace
}  // namespace messaging
