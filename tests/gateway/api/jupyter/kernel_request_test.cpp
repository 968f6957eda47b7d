#include "gateway/api/jupyter/kernel_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::api::jupyter {
namespace {

using testing::HasSubstr;

const std::vector<std::string> patterns = {"KERNEL_*", "LANG", "JPY_SESSION_NAME"};

result<kernel_request> parse(std::string_view body) { return parse_kernel_request(body, patterns); }

std::string refusal(std::string_view body) {
    auto parsed = parse(body);
    return parsed ? "accepted" : parsed.error().message;
}

TEST(kernel_request, asks_for_the_default_kernel_when_the_body_is_empty) {
    for (const char* body : {"", "  \r\n", "{}", "null", R"({"name":null})", R"({"name":""})"}) {
        auto parsed = parse(body);
        ASSERT_TRUE(parsed) << body;
        EXPECT_EQ(parsed->name, "") << body;
        EXPECT_TRUE(parsed->env.empty()) << body;
    }
}

TEST(kernel_request, takes_name_id_and_path_and_ignores_what_it_does_not_know) {
    auto parsed = parse(R"({"name":"ir","kernel_id":"8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f","path":"a/b","later":1})");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->name, "ir");
    EXPECT_EQ(parsed->kernel_id, "8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f");
    EXPECT_EQ(parsed->working_dir, "a/b");
}

TEST(kernel_request, takes_only_the_variables_that_a_pattern_names) {
    auto parsed = parse(R"({"env":{"KERNEL_LAUNCH_TIMEOUT":"40","LANG":"C","PATH":"/evil","LANGUAGE":"x"}})");
    ASSERT_TRUE(parsed);
    std::map<std::string, std::string> expected = {{"KERNEL_LAUNCH_TIMEOUT", "40"}, {"LANG", "C"}};
    EXPECT_EQ(parsed->env, expected);
}

TEST(kernel_request, reads_directory_id_and_user_from_the_environment) {
    auto parsed = parse(R"({"path":"elsewhere","env":{"KERNEL_WORKING_DIR":"/data","KERNEL_USERNAME":"bob",
                         "KERNEL_ID":"8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f"}})");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->working_dir, "/data");
    EXPECT_EQ(parsed->username, "bob");
    EXPECT_EQ(parsed->kernel_id, "8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f");
}

TEST(kernel_request, refuses_a_body_over_a_mebibyte_before_it_is_parsed) {
    auto refused = parse(std::string(most_body_bytes + 1, '{'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::too_large);
    EXPECT_EQ(refused.error().message, "the body has 1048577 bytes; at most 1048576 are taken");
    EXPECT_THAT(refusal(R"({"path":")" + std::string(5000, 'x') + "\"}"), HasSubstr("path is longer than 4096 bytes"));
}

TEST(kernel_request, says_what_is_wrong_with_a_body) {
    EXPECT_EQ(refusal("{\"name\":\"\xff\"}"), "the body is not UTF-8 at byte 9");
    EXPECT_EQ(refusal("{\"a\":" + std::string(500'000, '[')), "the body is nested deeper than 1024 levels");
    EXPECT_THAT(refusal(R"({"name":"\ud800"})"), HasSubstr("surrogate"));
    EXPECT_THAT(refusal("{"), HasSubstr("the body is not JSON at byte 2"));
}

TEST(kernel_request, keeps_the_variable_that_only_the_gateway_sets) {
    auto parsed = parse(R"({"env":{"KERNEL_GATEWAY":"0"}})");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->env.empty());
}

TEST(kernel_request, names_the_variable_whose_value_it_refuses) {
    EXPECT_THAT(refusal(R"({"env":{"KERNEL_A":1}})"), HasSubstr("env.KERNEL_A must be a string"));
    for (const char* bad : {"a`b", "$HOME", "a\\nb", "a\\rb", "a\\u0000b"})
        EXPECT_THAT(refusal(std::string(R"({"env":{"KERNEL_A":")") + bad + "\"}}"), HasSubstr("env.KERNEL_A")) << bad;
    std::string longest(4096, 'x');
    EXPECT_TRUE(parse(R"({"env":{"KERNEL_A":")" + longest + "\"}}"));
    EXPECT_THAT(refusal(R"({"env":{"KERNEL_A":"x)" + longest + "\"}}"), HasSubstr("longer than 4096"));
}

TEST(kernel_request, starts_a_kernel_for_a_notebook_of_any_name) {
    EXPECT_EQ(parse(R"({"env":{"JPY_SESSION_NAME":"a.ipynb"}})")->env.at("JPY_SESSION_NAME"), "a.ipynb");
    auto parsed = parse(R"({"env":{"JPY_SESSION_NAME":"costs in $.ipynb"}})");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->env.empty());
}

TEST(kernel_request, does_not_judge_the_value_of_a_variable_it_ignores) {
    EXPECT_TRUE(parse(R"({"env":{"OTHER":["$"],"PS1":"`date`"}})"));
}

TEST(kernel_request, refuses_other_bodies_with_a_message_that_says_what_to_send) {
    EXPECT_THAT(refusal("{name"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal("[1]"), HasSubstr("must be a JSON object"));
    EXPECT_THAT(refusal(R"({"name":7})"), HasSubstr("name must be a string"));
    EXPECT_THAT(refusal(R"({"path":"a\u0000b"})"), HasSubstr("path must not hold a NUL"));
    EXPECT_THAT(refusal(R"({"env":["A=1"]})"), HasSubstr("env must be an object"));
    EXPECT_THAT(refusal(R"({"kernel_id":"../../etc"})"), HasSubstr("must be a UUID"));
}

TEST(kernel_request, knows_a_uuid) {
    EXPECT_TRUE(is_uuid("8F14E45F-ceea-467e-bd5d-7f1b2c3d4e5f"));
    for (const char* other : {"", "8f14e45fceea467ebd5d7f1b2c3d4e5f", "8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5g",
                              "8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f0", "8f14e45f/ceea-467e-bd5d-7f1b2c3d4e5f"})
        EXPECT_FALSE(is_uuid(other)) << other;
}

}  // namespace
}  // namespace gateway::api::jupyter
