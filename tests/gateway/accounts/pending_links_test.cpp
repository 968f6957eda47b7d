// Links that connect accounts: how long they are good, for whom, and how often.
#include "gateway/accounts/pending_links.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>

#include "tests/gateway/accounts/account_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::accounts {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class PendingLinks : public testing::Test {
  protected:
    static account service() { return checked_service(bearer_account("github", "", ""), {}).value(); }
    static link_request wanted(const std::string& alias = "") {
        return {"ana", "ses_1", "github", alias, "", false, "https://gate.example/connect/"};
    }
    pending_link begun(const std::string& alias = "") { return links.begin(service(), wanted(alias)).value(); }
    errc refusal(link_request what) { return links.begin(service(), std::move(what)).error().code; }

    asio::io_context io;
    test_support::temporary_directory home;
    std::unique_ptr<account_store> store = account_store::open(home.path(), "", {}).value();
    wall_clock::time_point now = wall_clock::now();
    pending_links links{io.get_executor(), *store, link_rules{{{"github", service()}}, 3, std::chrono::seconds(600)},
                        [this] { return now; }};
};

TEST_F(PendingLinks, MakeAnAccountUnderTheIdThatWasTold) {
    const auto link = begun("work");
    EXPECT_THAT(link.url, StartsWith("https://gate.example/connect/" + link.what.id + "?link_token="));
    EXPECT_EQ(links.follow(link.what.id, link.token)->what.toolkit, "github");
    const auto made = links.finish(link.what.id, "", "the-secret").value();
    EXPECT_EQ(made.id, link.what.id);
    EXPECT_EQ(made.user_id, "ana");
    EXPECT_EQ(made.alias, "work");
    EXPECT_EQ(made.base_url, "https://api.example.com/v1");
    EXPECT_EQ(store->secret_of(made.id).value(), "the-secret");
}

TEST_F(PendingLinks, AreGoodOnce) {
    const auto link = begun();
    ASSERT_TRUE(links.finish(link.what.id, "", "the-secret"));
    EXPECT_EQ(links.follow(link.what.id, link.token), nullptr);
    EXPECT_EQ(links.finish(link.what.id, "", "another-secret").error().code, errc::not_found);
    EXPECT_EQ(store->list().value().size(), 1u);
}

TEST_F(PendingLinks, AreFollowedWithTheirOwnTokenOnly) {
    const auto link = begun(), other = begun();
    EXPECT_NE(link.token, other.token);
    EXPECT_EQ(link.token.size(), 64u);
    for (const auto& token : {other.token, std::string(), link.token.substr(1), link.token + "0"})
        EXPECT_EQ(links.follow(link.what.id, token), nullptr);
    EXPECT_EQ(links.follow("ca_1", link.token), nullptr);
}

TEST_F(PendingLinks, ExpireAndAreRememberedForAWhile) {
    const auto link = begun();
    now += std::chrono::seconds(600);
    EXPECT_EQ(links.follow(link.what.id, link.token), nullptr);
    EXPECT_EQ(links.finish(link.what.id, "", "the-secret").error().code, errc::not_found);
    EXPECT_TRUE(links.is_over(*links.find(link.what.id)));
    EXPECT_EQ(links.find_waiting("ses_1", "github"), nullptr);
    now += std::chrono::seconds(600);
    EXPECT_EQ(links.find(link.what.id), nullptr);
}

TEST_F(PendingLinks, StayWhenTheSecretIsRefused) {
    const auto link = begun();
    auto refused = links.finish(link.what.id, "", "short");
    EXPECT_EQ(refused.error().code, errc::invalid_request);
    EXPECT_THAT(refused.error().message, Not(HasSubstr("short")));
    EXPECT_TRUE(links.finish(link.what.id, "", "long-enough"));
}

TEST_F(PendingLinks, AreFewAUserAndTheLimitIsNamed) {
    for (int at = 0; at < 3; ++at) begun();
    auto refused = links.begin(service(), wanted());
    EXPECT_EQ(refused.error().code, errc::limit_reached);
    EXPECT_THAT(refused.error().message, HasSubstr("accounts.max_links_per_user"));
    auto others = wanted();
    others.user_id = "eve";
    EXPECT_TRUE(links.begin(service(), others));
    now += std::chrono::seconds(600);
    EXPECT_TRUE(links.begin(service(), wanted()));
}

TEST_F(PendingLinks, RefuseAnAliasThatIsTakenOrNone) {
    ASSERT_TRUE(store->add(bearer_account("github", "ana", "work"), "the-secret"));
    EXPECT_EQ(refusal(wanted("work")), errc::name_taken);
    EXPECT_EQ(refusal(wanted("ca_work")), errc::invalid_request);
    EXPECT_EQ(refusal(wanted("a\nb")), errc::invalid_request);
}

TEST_F(PendingLinks, GoBackToHttpOnly) {
    for (const char* bad : {"javascript:alert(1)", "/cb", "ftp://a.example/", "https://u:p@a.example/",
                            "https://a.b/\r\nX: y", "https://a.b/\"><script>", "data:text/html,x", "https://"})
        EXPECT_FALSE(check_callback(bad)) << bad;
    for (const char* good : {"", "https://app.example/done?x=1#top", "http://localhost:3000/cb"})
        EXPECT_TRUE(check_callback(good)) << good;
    EXPECT_EQ(callback_origin("https://App.example:443/done?x=1#top"), "https://app.example");
}

TEST_F(PendingLinks, AreFoundAgainForTheirSessionAndToolkit) {
    begun();
    const auto newest = begun();
    EXPECT_EQ(links.find_waiting("ses_1", "github")->what.id, newest.what.id);
    EXPECT_EQ(links.find_waiting("ses_2", "github"), nullptr);
    EXPECT_EQ(links.find_waiting("ses_1", "gitlab"), nullptr);
}

TEST(AService, IsCheckedAsItsAccountsAre) {
    auto basic = basic_account();
    basic.username.clear();
    EXPECT_EQ(checked_service(basic, {}).value().username, "");
    auto plain = bearer_account();
    plain.base_url = "http://api.example.com";
    EXPECT_THAT(checked_service(plain, {}).error().message, HasSubstr("accounts.plain_http"));
    auto reserved = key_account(key_place::header, "host");
    EXPECT_FALSE(checked_service(reserved, {}));
}

}  // namespace
}  // namespace gateway::accounts
