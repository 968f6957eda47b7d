// The page behind a link: what it shows, what it takes, and from whom.
#include "gateway/api/composio/connect_page.hpp"
#include "tests/gateway/api/composio/connection_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class connect_page_of : public connection_fixture {
  protected:
    void SetUp() override {
        connection_fixture::SetUp();
        create();
    }
};

TEST_F(connect_page_of, a_link_says_for_what_and_where_the_secret_goes) {
    auto shown = page(begin(R"({"toolkit":"github","alias":"work"})"));
    EXPECT_EQ(shown.status, 200);
    EXPECT_THAT(shown.text, AllOf(HasSubstr("Connect github"), HasSubstr("https://api.github.example</li>"),
                                  HasSubstr("https://uploads.github.example</li>"), HasSubstr("<b>ana</b>"),
                                  HasSubstr("<b>work</b>"), HasSubstr("type=\"password\" name=\"secret\"")));
    EXPECT_THAT(shown.text, AllOf(Not(HasSubstr("name=\"username\"")), Not(HasSubstr("<script"))));
}

TEST_F(connect_page_of, a_link_is_kept_framed_and_told_by_nobody) {
    auto head = page(begin()).head;
    EXPECT_THAT(head, HasSubstr("default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'\r\n"));
    EXPECT_THAT(head, AllOf(HasSubstr("Cache-Control: no-store"), HasSubstr("Referrer-Policy: same-origin"),
                            HasSubstr("X-Frame-Options: DENY"), HasSubstr("text/html; charset=utf-8")));
}

TEST_F(connect_page_of, a_link_makes_the_account_once) {
    const auto link = begin();
    const auto made = link["connected_account_id"].get<std::string>();
    auto done = submit(link);
    EXPECT_EQ(done.status, 200);
    EXPECT_THAT(done.text, AllOf(HasSubstr("is connected"), Not(HasSubstr("the-key"))));
    EXPECT_EQ(store->secret_of(made).value(), "the-key-of-ana");
    EXPECT_EQ(store->find(made)->user_id, "ana");
    EXPECT_EQ(submit(link, "secret=another-secret").status, 404);
    EXPECT_EQ(page(link).status, 404);
    EXPECT_EQ(store->secret_of(made).value(), "the-key-of-ana");
}

TEST_F(connect_page_of, a_basic_service_asks_for_a_user_name_too) {
    const auto link = begin(R"({"toolkit":"jira"})");
    EXPECT_THAT(page(link).text, AllOf(HasSubstr("name=\"username\""), HasSubstr("Password")));
    auto again = submit(link, "username=a%3Ab%22%3E&secret=open+sesame%21");
    EXPECT_EQ(again.status, 400);
    EXPECT_THAT(again.text,
                AllOf(HasSubstr("value=\"a:b&quot;&gt;\""), HasSubstr("without a colon"), Not(HasSubstr("sesame"))));
    EXPECT_EQ(submit(link, "username=ana%40x.example&secret=open+sesame%21").status, 200);
    const auto made = store->find(link["connected_account_id"]).value();
    EXPECT_EQ(made.username, "ana@x.example");
    EXPECT_EQ(store->secret_of(made.id).value(), "open sesame!");
}

TEST_F(connect_page_of, a_link_shows_its_form_again_without_the_secret) {
    const auto link = begin();
    for (const char* bad :
         {"", "secret=", "secret=sh0rt", "secret=with+blanks+in+it", "secret=%zz", "secret=%ff%fe-not-utf-8",
          "secret=s3cret-one&secret=s3cret-two", "=&&=", "username=s3cret-one"}) {
        auto again = submit(link, bad);
        EXPECT_EQ(again.status, 400) << bad;
        EXPECT_THAT(again.text, AllOf(HasSubstr("role=\"alert\""), HasSubstr("<form"), Not(HasSubstr("s3cret")),
                                      Not(HasSubstr("sh0rt"))))
            << bad;
    }
    EXPECT_EQ(ask("POST", path_of(link), R"({"secret":"the-key-of-ana"})", "Content-Type: application/json\r\n").status,
              400);
    EXPECT_EQ(store->list()->size(), 0u);
    EXPECT_EQ(submit(link).status, 200);
}

TEST_F(connect_page_of, a_link_goes_back_to_who_asked) {
    const auto link = begin(R"({"toolkit":"github","callback_url":"https://app.example/done?x=1#top"})");
    auto shown = page(link);
    EXPECT_THAT(shown.head, HasSubstr("form-action 'self' https://app.example\r\n"));
    EXPECT_THAT(shown.text, HasSubstr("https://app.example"));
    auto done = submit(link);
    EXPECT_EQ(done.status, 303);
    EXPECT_THAT(done.head, HasSubstr("Location: https://app.example/done?x=1&status=success&connected_account_id=" +
                                     link["connected_account_id"].get<std::string>() + "#top"));
}

TEST_F(connect_page_of, a_link_takes_no_form_of_another_site) {
    const auto link = begin();
    for (const char* header : {"Origin: https://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n",
                               "Sec-Fetch-Site: same-site\r\n", "Origin: http://localhost:9999\r\n"})
        EXPECT_GE(submit(link, "secret=the-key-of-eve", header).status, 400) << header;
    EXPECT_EQ(store->list()->size(), 0u);
    EXPECT_EQ(submit(link, "secret=the-key-of-ana", "Origin: http://localhost:8888\r\nSec-Fetch-Site: same-origin\r\n")
                  .status,
              200);
}

TEST_F(connect_page_of, a_link_is_found_with_its_token_only) {
    const auto link = begin(), other = begin();
    const auto at = "/connect/" + link["connected_account_id"].get<std::string>();
    const auto token = link["link_token"].get<std::string>();
    for (const auto& query : {std::string(), std::string("?link_token="), "?link_token=" + token.substr(1),
                              "?link_token=" + other["link_token"].get<std::string>(), "?token=" + token})
        EXPECT_EQ(ask("GET", at + query).status, 404) << query;
    EXPECT_EQ(ask("GET", "/connect/ca_1?link_token=" + token).status, 404);
    EXPECT_EQ(ask("GET", at + "?link_token=" + token).status, 200);
    EXPECT_EQ(ask("GET", at + "?link_token=x", "", "x-api-key: root\r\n").status, 404);
}

TEST_F(connect_page_of, a_link_takes_no_giant_form) {
    const auto link = begin();
    EXPECT_EQ(submit(link, "secret=" + std::string(100'000, 'x')).status, 413);
    EXPECT_EQ(submit(link, "secret=" + std::string(60'000, 'x')).status, 400);
    EXPECT_EQ(submit(link, "secret=" + std::string(8'192, 'x')).status, 200);
}

TEST_F(connect_page_of, a_link_shows_text_as_text) {
    const std::string bad = "<script>alert(1)</script>\\\"'&";
    auto shown = page(begin(R"({"toolkit":"github","alias":")" + bad + "\"}"));
    EXPECT_THAT(shown.text,
                AllOf(HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"), Not(HasSubstr("<script"))));
}

TEST(EscapedHtml, HasNothingThatEndsATextOrAnAttribute) {
    EXPECT_EQ(escape_html("a<b>&\"'ü"), "a&lt;b&gt;&amp;&quot;&#39;ü");
}

class connect_page_in_public : public connect_page_of {
  protected:
    void SetUp() override {
        options.links = std::make_shared<files::links>(files::link_signer::make(),
                                                       files::link_rules{"https://gate.example/cell", "/", {}});
        connect_page_of::SetUp();
    }
};

TEST_F(connect_page_in_public, is_at_the_public_url) {
    const auto link = begin();
    EXPECT_EQ(link["redirect_url"], "https://gate.example/cell/connect/" +
                                        link["connected_account_id"].get<std::string>() +
                                        "?link_token=" + link["link_token"].get<std::string>());
}

}  // namespace
}  // namespace gateway::api::composio
