#include "gateway/accounts/hop.hpp"

#include <gmock/gmock.h>

#include "tests/gateway/accounts/account_fixture.hpp"

namespace gateway::accounts {
namespace {

using testing::HasSubstr;

struct the_hop : testing::Test {
    account of = bearer_account();
    proxy_request asked;
    account_rules rules;

    the_hop() { of.hosts = {"https://up.example.com"}; }
    std::string to(std::string endpoint) {
        asked.endpoint = std::move(endpoint);
        auto made = first_hop(of, asked, rules);
        return made ? made->what.to.origin() + made->what.to.target : to_string(made.error().code);
    }
    // Where a redirect from https://api.example.com/v1/a leads.
    std::string redirected(const std::string& location, int status = 302, bool* with_secret = nullptr) {
        asked.endpoint = "/a";
        auto made = next_hop(of, *first_hop(of, asked, rules), status, location, rules);
        if (!made) return to_string(made.error().code);
        if (!*made) return "none";
        if (with_secret) *with_secret = (*made)->with_secret;
        return (*made)->what.method + " " + (*made)->what.to.origin() + (*made)->what.to.target;
    }
};

TEST_F(the_hop, is_relative_to_the_base_url) {
    EXPECT_EQ(to("/user/repos?x=1"), "https://api.example.com/v1/user/repos?x=1");
    EXPECT_EQ(to("user"), "https://api.example.com/v1/user");
    EXPECT_EQ(to("?x=1"), "https://api.example.com/v1?x=1");
    EXPECT_EQ(to("/a#part"), "https://api.example.com/v1/a");
}

TEST_F(the_hop, may_name_one_of_the_accounts_hosts) {
    EXPECT_EQ(to("https://api.example.com/v2/x"), "https://api.example.com/v2/x");
    EXPECT_EQ(to("HTTPS://UP.example.com:443/x"), "https://up.example.com/x");
    EXPECT_EQ(to("https://up.example.com./x"), "https://up.example.com/x");
}

TEST_F(the_hop, goes_to_no_other_host) {
    for (const char* each : {"https://evil.example/", "http://api.example.com/", "https://api.example.com:444/",
                             "https://api.example.com.evil.example/", "https://evil.example/https://api.example.com/",
                             "https://127.0.0.1/", "https://[::1]/"})
        EXPECT_EQ(to(each), "origin_mismatch") << each;
    for (const char* each : {"https://api.example.com@evil.example/", "https://2130706433/", "https://\\evil.example/",
                             "https://api.example.com\\@evil.example/", "https://ev\nil/",
                             "https://api.example.com/\r\nx", "/a\r\nHost: evil", "/a\tb", "https:///x"})
        EXPECT_EQ(to(each), "invalid_request") << each;
    // What is no URL stays below the base URL.
    const std::pair<const char*, const char*> below[] = {{"@evil.example/", "/@evil.example/"},
                                                         {"//evil.example/x", "//evil.example/x"},
                                                         {":444/", "/:444/"},
                                                         {".evil.example", "/.evil.example"},
                                                         {"file:///etc/passwd", "/file:///etc/passwd"},
                                                         {"gopher://evil/", "/gopher://evil/"}};
    for (const auto& [each, where] : below)
        EXPECT_EQ(to(each), std::string("https://api.example.com/v1") + where) << each;
}

TEST_F(the_hop, goes_over_plain_http_only_as_long_as_the_operator_allows_it) {
    of.base_url = "http://intranet.example";
    of.hosts = {"http://up.example.com", "https://safe.example.com"};
    EXPECT_EQ(to("/a"), "forbidden");
    EXPECT_EQ(to("http://up.example.com/a"), "forbidden");
    EXPECT_EQ(to("https://safe.example.com/a"), "https://safe.example.com/a");
    asked.endpoint = "https://safe.example.com/a";
    auto refused = next_hop(of, *first_hop(of, asked, rules), 302, "http://intranet.example/b", rules);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::forbidden);
    EXPECT_THAT(refused.error().message, HasSubstr("accounts.plain_http"));
    rules.plain_http = true;
    EXPECT_EQ(to("/a"), "http://intranet.example/a");
}

TEST_F(the_hop, encodes_what_people_write) {
    EXPECT_EQ(to("/a b/\xc3\xa9|x"), "https://api.example.com/v1/a%20b/%C3%A9%7Cx");
    asked.query = {{"q", "a&b=c #\xc3\xa9"}, {"n", "1"}};
    EXPECT_EQ(to("/a"), "https://api.example.com/v1/a?q=a%26b%3Dc%20%23%C3%A9&n=1");
    EXPECT_EQ(to("/a?z=1"), "https://api.example.com/v1/a?z=1&q=a%26b%3Dc%20%23%C3%A9&n=1");
}

TEST_F(the_hop, never_sets_the_accounts_own_key) {
    of = key_account(key_place::query, "key");
    EXPECT_EQ(to("/a?key=mine"), "invalid_request");
    EXPECT_EQ(to("/a?KEY=mine"), "invalid_request");
    EXPECT_EQ(to("/a?%6bey=mine"), "invalid_request");
    asked.query = {{"key", "x"}};
    EXPECT_EQ(to("/a"), "invalid_request");
    of = key_account(key_place::header, "x-token");
    asked.query.clear();
    for (const char* name : {"X-Token", "x_token", "X_TOKEN"}) {
        asked.headers = {{name, "mine"}};
        EXPECT_EQ(to("/a"), "invalid_request") << name;
    }
}

TEST_F(the_hop, asks_for_nothing_that_had_to_be_unpacked) {
    asked.endpoint = "/a";
    auto made = first_hop(of, asked, rules).value();
    EXPECT_EQ(outbound::find_header(made.what.fields, "accept-encoding"), "identity");
}

TEST_F(the_hop, follows_a_redirect_within_the_accounts_hosts) {
    bool with_secret = false;
    EXPECT_EQ(redirected("/b", 302, &with_secret), "GET https://api.example.com/b");
    EXPECT_TRUE(with_secret);
    EXPECT_EQ(redirected("b?x=1"), "GET https://api.example.com/v1/b?x=1");
    EXPECT_EQ(redirected("?x=1"), "GET https://api.example.com/v1/a?x=1");
    EXPECT_EQ(redirected("//up.example.com/b", 302, &with_secret), "GET https://up.example.com/b");
    EXPECT_FALSE(with_secret);
}

TEST_F(the_hop, once_without_the_secret_stays_without_it) {
    asked.endpoint = "/a";
    auto away = next_hop(of, *first_hop(of, asked, rules), 302, "https://up.example.com/b", rules).value();
    auto back = next_hop(of, *away, 302, "https://up.example.com/c", rules).value();
    EXPECT_FALSE(back->with_secret);
    EXPECT_FALSE(next_hop(of, *back, 302, "https://api.example.com/", rules)->value().with_secret);
}

TEST_F(the_hop, follows_no_redirect_to_another_host) {
    for (const char* each : {"https://evil.example/", "//evil.example/", "http://api.example.com/",
                             "http://169.254.169.254/latest", "https://127.0.0.1/", "https://[::1]/"})
        EXPECT_EQ(redirected(each), "origin_mismatch") << each;
    for (const char* each :
         {"https://2130706433/", "file:///etc/passwd", "gopher://x/", "https://a@api.example.com/", "https://0x7f.1/"})
        EXPECT_EQ(redirected(each), "invalid_request") << each;
}

TEST_F(the_hop, is_over_when_there_is_no_redirect) {
    EXPECT_EQ(redirected("/b", 200), "none");
    EXPECT_EQ(redirected("/b", 304), "none");
    EXPECT_EQ(redirected("", 302), "none");
}

TEST_F(the_hop, repeats_the_body_only_where_the_status_says_so) {
    asked.method = "POST";
    asked.body = "{}";
    asked.content_type = "application/json";
    EXPECT_EQ(redirected("/b", 307), "POST https://api.example.com/b");
    EXPECT_EQ(redirected("/b", 303), "GET https://api.example.com/b");
    asked.endpoint = "/a";
    auto made = next_hop(of, *first_hop(of, asked, rules), 301, "/b", rules).value();
    EXPECT_EQ(made->what.body, "");
    EXPECT_EQ(outbound::find_header(made->what.fields, "content-type"), "");
}

}  // namespace
}  // namespace gateway::accounts
