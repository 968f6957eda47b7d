#include "gateway/api/helpers/correction_request.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

json a_correction() {
    return {{"parent", "msg-1"}, {"line", 3},           {"column", 0}, {"written", "result[\"apiKey\"]"},
            {"used", "x"},       {"kind", "field_name"}};
}

failure refusal_of(const json& body) {
    auto parsed = parse_correction_request(body.dump());
    return parsed ? failure{errc::internal_error, "it was taken"} : parsed.error();
}

TEST(parse_correction_request, reads_a_correction) {
    auto parsed = parse_correction_request(a_correction().dump());
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->parent, "msg-1");
    EXPECT_EQ(parsed->what.line, 3u);
    EXPECT_EQ(parsed->what.column, 0u);
    EXPECT_EQ(parsed->what.written, "result[\"apiKey\"]");
    EXPECT_EQ(parsed->what.used, "x");
    EXPECT_EQ(parsed->what.kind, "field_name");
}

TEST(parse_correction_request, wants_every_field_and_says_which) {
    for (const char* name : {"parent", "line", "column", "written", "used", "kind"}) {
        for (const json& wrong : {json(nullptr), json(-1), json(1.5), json::array(), json(true)}) {
            auto body = a_correction();
            body[name] = wrong;
            auto why = refusal_of(body);
            EXPECT_EQ(why.code, errc::invalid_request) << name << wrong;
            EXPECT_EQ(why.message.find(name), 0u) << why.message;
        }
        auto body = a_correction();
        body.erase(name);
        EXPECT_EQ(refusal_of(body).message.find(name), 0u);
    }
}

TEST(parse_correction_request, bounds_its_numbers) {
    auto body = a_correction();
    body["line"] = 0;
    EXPECT_EQ(refusal_of(body).message, "line must be a whole number from 1 to 1000000000");
    body["line"] = 1'000'000'001;
    EXPECT_EQ(refusal_of(body).code, errc::invalid_request);
}

TEST(parse_correction_request, knows_the_kinds_and_no_other) {
    auto body = a_correction();
    for (const char* kind : {"field_name", "envelope", "top_level_return", "fence", "json_literal"}) {
        body["kind"] = kind;
        EXPECT_TRUE(parse_correction_request(body.dump())) << kind;
    }
    body["kind"] = "typo";
    EXPECT_NE(refusal_of(body).message.find("envelope"), std::string::npos);
}

TEST(parse_correction_request, refuses_unknown_fields_by_name) {
    auto body = a_correction();
    body["lien"] = 3;
    EXPECT_EQ(refusal_of(body).code, errc::unknown_field);
    EXPECT_NE(refusal_of(body).message.find("\"lien\""), std::string::npos);
}

TEST(parse_correction_request, cuts_a_long_text_between_characters) {
    auto body = a_correction();
    std::string text;
    for (int i = 0; i < 1'000; ++i) text += "\u00e9";
    body["written"] = text;
    auto parsed = parse_correction_request(body.dump());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->what.written, text.substr(0, 1'000) + "\u2026");
    body["written"] = std::string(1'000, 'x');
    EXPECT_EQ(parse_correction_request(body.dump())->what.written, std::string(1'000, 'x'));
}

TEST(parse_correction_request, refuses_what_is_no_object_or_far_too_large) {
    for (const char* body : {"", "[]", "nonsense", "{\"parent\":"})
        EXPECT_EQ(parse_correction_request(body).error().code, errc::invalid_request) << body;
    EXPECT_EQ(parse_correction_request(std::string(70'000, ' ')).error().code, errc::too_large);
}

}  // namespace
}  // namespace gateway::api::helpers
