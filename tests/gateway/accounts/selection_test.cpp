#include "gateway/accounts/selection.hpp"

#include <gmock/gmock.h>

#include "tests/gateway/accounts/account_fixture.hpp"

namespace gateway::accounts {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

account numbered(const char* id, account made) {
    made.id = id;
    return made;
}

struct the_choice : testing::Test {
    std::vector<account> all{
        numbered("ca_1", bearer_account("github", "ada", "work")),
        numbered("ca_2", bearer_account("github", "ada", "home")), numbered("ca_3", bearer_account("gmail", "ada")),
        numbered("ca_4", bearer_account("gmail", "eve")), numbered("ca_5", bearer_account("jira", "eve", "work"))};

    std::string choose_for(const account_scope& whose, const char* toolkit, const char* wanted = "") {
        auto made = choose(all, whose, toolkit, wanted);
        return made ? made->id : std::string(to_string(made.error().code)) + ": " + made.error().message;
    }
};

TEST_F(the_choice, is_the_only_one_of_the_toolkit) {
    EXPECT_EQ(choose_for({"ada", {}}, "gmail"), "ca_3");
    EXPECT_EQ(choose_for({"eve", {}}, "GMAIL"), "ca_4");
}

TEST_F(the_choice, is_named_by_id_or_alias) {
    EXPECT_EQ(choose_for({"ada", {}}, "github", "home"), "ca_2");
    EXPECT_EQ(choose_for({"ada", {}}, "github", "ca_1"), "ca_1");
}

TEST_F(the_choice, among_several_must_be_named) {
    EXPECT_THAT(choose_for({"ada", {}}, "github"),
                AllOf(HasSubstr("invalid_request"), HasSubstr("ca_1 (work)"), HasSubstr("ca_2 (home)")));
}

TEST_F(the_choice, is_never_another_users) {
    EXPECT_THAT(choose_for({"ada", {}}, "gmail", "ca_4"), AllOf(HasSubstr("account_not_found"), HasSubstr("ca_3")));
    EXPECT_THAT(choose_for({"ada", {}}, "jira"), AllOf(HasSubstr("no_account"), Not(HasSubstr("ca_5"))));
    EXPECT_THAT(choose_for({"ada", {{"gmail", {"ca_4"}}}}, "gmail"), HasSubstr("no_account"));
}

TEST_F(the_choice, is_not_another_toolkits) {
    EXPECT_THAT(choose_for({"ada", {}}, "gmail", "ca_1"), HasSubstr("account_not_found"));
}

TEST_F(the_choice, is_what_the_session_pins) {
    EXPECT_EQ(choose_for({"ada", {{"github", {"ca_2"}}}}, "github"), "ca_2");
    EXPECT_EQ(choose_for({"ada", {{"github", {"ca_2", "ca_1"}}}}, "github"), "ca_2");
    EXPECT_EQ(choose_for({"ada", {{"github", {"ca_2", "ca_1"}}}}, "github", "work"), "ca_1");
    EXPECT_THAT(choose_for({"ada", {{"github", {"ca_2"}}}}, "github", "work"), HasSubstr("account_not_found"));
    EXPECT_EQ(choose_for({"ada", {{"github", {"ca_2"}}}}, "gmail"), "ca_3");
}

TEST_F(the_choice, passes_over_what_is_disabled) {
    all[0].status = account_status::disabled;
    EXPECT_EQ(choose_for({"ada", {}}, "github"), "ca_2");
    EXPECT_THAT(choose_for({"ada", {}}, "github", "work"), HasSubstr("disabled"));
    all[1].status = account_status::disabled;
    EXPECT_THAT(choose_for({"ada", {}}, "github"), AllOf(HasSubstr("no_account"), HasSubstr("disabled")));
}

}  // namespace
}  // namespace gateway::accounts
