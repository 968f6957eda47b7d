#include "gateway/api/helpers/package_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::api::helpers {
namespace {

using testing::HasSubstr;

TEST(a_call_for_packages, names_modules_with_their_distributions) {
    auto call = parse_package_call(
        R"({"parent":"m1","modules":[{"module":"sklearn","distribution":"scikit-learn"},{"module":"some.thing"}]})");
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->parent, "m1");
    ASSERT_EQ(call->wanted.size(), 2U);
    EXPECT_EQ(call->wanted[0].module, "sklearn");
    EXPECT_EQ(call->wanted[0].requirement, "scikit-learn");
    EXPECT_EQ(call->wanted[1].requirement, "some");
    EXPECT_FALSE(call->upgrade);
}

TEST(a_call_for_packages, names_requirements) {
    auto call = parse_package_call(R"({"parent":"","requirements":["humanize==4.9"],"upgrade":true})");
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->wanted[0].module, "");
    EXPECT_EQ(call->wanted[0].requirement, "humanize==4.9");
    EXPECT_TRUE(call->upgrade);
}

TEST(a_call_for_packages, is_refused_by_the_name_of_what_is_wrong) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "must be a JSON object"},
        {"[]", "must be a JSON object"},
        {"{}", "modules or requirements are missing"},
        {R"({"modules":[]})", "modules must be a list of 1 to 500"},
        {R"({"modules":["x"]})", "modules must hold objects"},
        {R"({"modules":[{"distribution":"x"}]})", "module is missing"},
        {R"({"modules":[{"module":5}]})", "module must be a string"},
        {R"({"modules":[{"module":"a"}],"requirements":["b"]})", "give either modules or requirements"},
        {R"({"requirements":[5]})", "each requirement must be a string"},
        {R"({"requirements":["a"],"upgrade":"yes"})", "upgrade must be true or false"},
        {R"({"requirements":["a"],"parent":null})", "parent must be a string"},
        {R"({"requirements":[")" + std::string(501, 'a') + "\"]}", "at most 500 bytes"},
    };
    for (const auto& [body, word] : cases) {
        auto call = parse_package_call(body);
        ASSERT_FALSE(call) << body;
        EXPECT_EQ(call.error().code, errc::invalid_request) << body;
        EXPECT_THAT(call.error().message, HasSubstr(word)) << body;
    }
}

TEST(a_call_for_packages, has_no_unknown_field) {
    for (const auto* body : {R"({"requirements":["a"],"index":"x"})", R"({"modules":[{"module":"a","version":"1"}]})"})
        EXPECT_EQ(parse_package_call(body).error().code, errc::unknown_field);
    EXPECT_THAT(parse_package_call(R"({"indx":1})").error().message, HasSubstr("\"indx\""));
}

TEST(a_call_for_packages, has_a_size) {
    EXPECT_EQ(parse_package_call(std::string(300'000, ' ')).error().code, errc::too_large);
}

TEST(the_answer, says_what_was_installed_and_what_was_refused) {
    packages::package_outcome outcome;
    outcome.installed = {{"Six", "1.0", "six.moves"}, {"tiny", "2.0", ""}};
    outcome.refused = {{"b", "because \"x\""}};
    EXPECT_EQ(package_answer(outcome, true),
              R"({"installed":[{"module":"six.moves","name":"Six","version":"1.0"},{"name":"tiny","version":"2.0"}],)"
              R"("refused":[{"module":"b","reason":"because \"x\""}]})");
    EXPECT_THAT(package_answer(outcome, false), HasSubstr(R"("requirement":"b")"));
}

}  // namespace
}  // namespace gateway::api::helpers
