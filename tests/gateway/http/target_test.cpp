#include "gateway/http/target.hpp"

#include <gtest/gtest.h>

namespace {

using namespace gateway::http;

std::string decoded(std::string_view text) { return percent_decode(text).value(); }

TEST(Target, DecodesPercentAndKeepsPlusInAPath) {
    EXPECT_EQ(decoded("a%20b+c%C3%A9%2f"), "a b+c\xC3\xA9/");
    EXPECT_EQ(decode_path("/files/%41").value(), "/files/A");
}

TEST(Target, DecodesPlusAsSpaceInAQuery) {
    auto query = parse_query("a=1+2&b=%2B&c&=d&a=3&&x=y=z").value();
    EXPECT_EQ(query.count("a"), 2u);
    EXPECT_EQ(query.find("a")->second, "1 2");
    EXPECT_EQ(query.find("b")->second, "+");
    EXPECT_EQ(query.find("c")->second, "");
    EXPECT_EQ(query.find("")->second, "d");
    EXPECT_EQ(query.find("x")->second, "y=z");
}

TEST(Target, TakesACacheBusterWithoutAValue) {
    auto target = parse_target("/api/kernels?1764424290944").value();
    EXPECT_EQ(target.path, "/api/kernels");
    EXPECT_EQ(target.query.count("1764424290944"), 1u);
}

TEST(Target, RefusesWhatIsNoPercentEncodedUtf8) {
    for (auto text : {"%", "%4", "%zz", "a%", "%ff", "%c3", "%ed%a0%80", "%c0%af", "%f5%80%80%80"})
        EXPECT_FALSE(percent_decode(text)) << text;
    EXPECT_FALSE(parse_target("/a?b=%ff"));
}

TEST(Target, RefusesDotSegmentsHoweverTheyAreWritten) {
    for (auto text : {"/a/../b", "/..", "/a/%2e%2e/b", "/a%2f..%2fb", "/./a", "/a/%2E"})
        EXPECT_FALSE(decode_path(text)) << text;
    EXPECT_TRUE(decode_path("/a/...b/c..d"));
}

TEST(Target, RefusesControlCharactersInAPath) {
    for (const char* text : {"/a%00b", "/a%0d%0ab", "/a%7f"})
        EXPECT_TRUE(has_control_character(decode_path(text).value())) << text;
    EXPECT_FALSE(has_control_character("/a b"));
}

TEST(Target, ReadsTheAbsoluteForm) {
    auto target = parse_target("http://Host:1/a?b=c").value();
    EXPECT_EQ(target.authority, "Host:1");
    EXPECT_EQ(target.path, "/a");
    EXPECT_EQ(target.query.find("b")->second, "c");
    EXPECT_EQ(parse_target("https://host").value().path, "/");
    EXPECT_EQ(parse_target("http://host?x").value().path, "/");
    EXPECT_FALSE(parse_target("host:443"));
    EXPECT_FALSE(parse_target("ftp://host/"));
    EXPECT_FALSE(parse_target(""));
}

TEST(Target, StripsTheBaseUrlInAnyCase) {
    EXPECT_EQ(normalize_base_url("/Team/A/"), "/team/a");
    EXPECT_EQ(normalize_base_url("team"), "/team");
    EXPECT_EQ(normalize_base_url("/"), "");
    EXPECT_EQ(strip_base_url("/TEAM/api", "/team"), "/api");
    EXPECT_EQ(strip_base_url("/team", "/team"), "");
    EXPECT_EQ(strip_base_url("/team/", "/team"), "/");
    EXPECT_EQ(strip_base_url("/teams/api", "/team"), std::nullopt);
    EXPECT_EQ(strip_base_url("/api", "/team"), std::nullopt);
    EXPECT_EQ(strip_base_url("/api", ""), "/api");
}

}  // namespace
