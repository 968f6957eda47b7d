#include "gateway/files/links.hpp"

#include <gmock/gmock.h>

#include "gateway/files/store_calls.hpp"

namespace gateway::files {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

class links_test : public testing::Test {
  protected:
    static http::request from(const std::string& host, bool secure = false) {
        http::request made;
        made.headers.emplace("Host", host);
        made.secure = secure;
        return made;
    }
    // What comes when the link is followed.
    static http::request follow(const made_link& what, const std::string& method) {
        http::request made;
        made.method = method;
        const auto query = what.url.substr(what.url.find('?') + 1), second = query.substr(query.find('&') + 1);
        made.query.emplace("expires", query.substr(8, query.find('&') - 8));
        made.query.emplace("signature", second.substr(10));
        return made;
    }

    link_rules rules_;
    links links_{link_signer::make(), rules_};
    const mounts::file_path path_ = parse_path("d/a b").value();
};

TEST_F(links_test, begin_where_the_caller_reaches_the_gateway) {
    EXPECT_EQ(links_.base_for(from("gate.example:1")).value(), "http://gate.example:1/");
    EXPECT_EQ(links_.base_for(from("gate.example", true)).value(), "https://gate.example/");
    EXPECT_EQ(links_.base_for(from("evil\"><")).error().code, errc::invalid_request);
    links_.set_own_url("http://127.0.0.1:8888");
    EXPECT_EQ(links_.base_for_helpers(), "http://127.0.0.1:8888/");
}

TEST_F(links_test, begin_with_the_public_url_when_there_is_one) {
    rules_.base_url = "/inside/";
    links inner(link_signer::make(), rules_);
    EXPECT_EQ(inner.base_for(from("gate.example")).value(), "http://gate.example/inside/");
    for (const char* url : {"https://cells.example/gw", "https://cells.example/gw/"}) {
        rules_.public_url = url;
        links outer(link_signer::make(), rules_);
        EXPECT_EQ(outer.base_for(from("evil\"><")).value(), "https://cells.example/gw/");
        EXPECT_EQ(outer.base_for_helpers(), "https://cells.example/gw/");
    }
}

TEST_F(links_test, do_what_they_were_made_for) {
    const auto down = links_.make("https://x/", link_use::download, "ses_1", path_, seconds(60));
    EXPECT_THAT(down.url, StartsWith("https://x/files/ses_1/d/a%20b?expires="));
    EXPECT_EQ(down.method, "GET");
    EXPECT_TRUE(links_.check(follow(down, "GET"), "ses_1", path_));
    EXPECT_TRUE(links_.check(follow(down, "HEAD"), "ses_1", path_));
    EXPECT_EQ(links_.check(follow(down, "PUT"), "ses_1", path_).error().code, errc::link_refused);
    EXPECT_EQ(links_.check(follow(down, "GET"), "ses_2", path_).error().code, errc::link_refused);
    const auto up = links_.make("https://x/", link_use::upload, "ses_1", path_, seconds(60));
    EXPECT_EQ(up.method, "PUT");
    EXPECT_TRUE(links_.check(follow(up, "PUT"), "ses_1", path_));
    EXPECT_TRUE(links_.check(follow(up, "PUT"), "ses_1", path_)) << "again, until it expires";
    EXPECT_EQ(links_.check(follow(up, "GET"), "ses_1", path_).error().code, errc::link_refused);
}

TEST_F(links_test, expire) {
    const auto past = links_.make("https://x/", link_use::download, "ses_1", path_, seconds(-1));
    EXPECT_THAT(links_.check(follow(past, "GET"), "ses_1", path_).error().message, HasSubstr("expired"));
}

TEST_F(links_test, live_an_hour_unless_that_is_too_long) {
    EXPECT_EQ(links_.default_life(), seconds(3600));
    rules_.longest_life = seconds(60);
    EXPECT_EQ(links(link_signer::make(), rules_).default_life(), seconds(60));
}

}  // namespace
}  // namespace gateway::files
