#include "gateway/accounts/account.hpp"

#include <gmock/gmock.h>

#include "tests/gateway/accounts/account_fixture.hpp"

namespace gateway::accounts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const account_rules https_only{};

TEST(account, is_written_in_one_way) {
    auto given = bearer_account("GitHub");
    given.base_url = "https://API.Example.com:443/v1//";
    given.hosts = {"Up.example.com", "other.example.com:8443", "https://third.example.com/"};
    auto made = checked(given, https_only).value();
    EXPECT_EQ(made.toolkit, "github");
    EXPECT_EQ(made.base_url, "https://api.example.com/v1");
    EXPECT_THAT(origins(made), ElementsAre("https://api.example.com", "https://up.example.com",
                                           "https://other.example.com:8443", "https://third.example.com"));
}

TEST(account, of_a_key_is_sent_as_x_api_key_unless_it_says_otherwise) {
    EXPECT_EQ(checked(key_account(key_place::header, ""), https_only)->parameter, "x-api-key");
    EXPECT_EQ(checked(key_account(key_place::header, "Authorization"), https_only)->parameter, "authorization");
    EXPECT_EQ(checked(key_account(key_place::query, "Key"), https_only)->parameter, "Key");
}

TEST(account, goes_over_plain_http_only_where_the_operator_allows_it) {
    auto given = bearer_account();
    given.base_url = "http://intranet.example/";
    EXPECT_THAT(checked(given, https_only).error().message, HasSubstr("accounts.plain_http"));
    EXPECT_EQ(checked(given, account_rules{true})->base_url, "http://intranet.example");
    given.base_url = "https://api.example.com";
    given.hosts = {"http://api.example.com"};
    EXPECT_FALSE(checked(given, https_only));
}

void expect_refused(const account& given, const char* why) {
    auto made = checked(given, https_only);
    ASSERT_FALSE(made) << why;
    EXPECT_EQ(made.error().code, errc::invalid_request);
    EXPECT_THAT(made.error().message, HasSubstr(why));
}

TEST(account, that_makes_no_sense_is_refused_with_what_to_change) {
    auto with = [](auto change) {
        auto made = bearer_account();
        change(made);
        return made;
    };
    expect_refused(with([](auto& of) { of.toolkit = ""; }), "toolkit");
    expect_refused(with([](auto& of) { of.toolkit = "a b"; }), "toolkit");
    expect_refused(with([](auto& of) { of.user_id = "a\nb"; }), "user_id");
    expect_refused(with([](auto& of) { of.alias = "ca_1"; }), "alias");
    for (const char* url :
         {"", "api.example.com", "ftp://a/", "https://me:pw@a/", "https://127.1/", "https://a b/", "https://a/\r\nx"})
        expect_refused(with([&](auto& of) { of.base_url = url; }), "base_url");
    expect_refused(with([](auto& of) { of.base_url = "https://a/?x=1"; }), "query");
    for (const char* text : {"caf\xe9", "\xff",
                             "a\xc2\x9b"
                             "31m",
                             "\xc2\x80"}) {
        expect_refused(with([&](auto& of) { of.alias = text; }), "alias");
        expect_refused(with([&](auto& of) { of.user_id = text; }), "user_id");
        auto prefixed = key_account(key_place::header, "x-key");
        prefixed.prefix = text;
        expect_refused(prefixed, "prefix");
        expect_refused(key_account(key_place::query, text), "query parameter");
        auto named = basic_account();
        named.username = text;
        expect_refused(named, "username");
        EXPECT_FALSE(check_secret(basic_account(), text));
    }
    EXPECT_TRUE(checked(with([](auto& of) { of.alias = "caf\xc3\xa9 \xc2\xa9"; }), https_only));
    for (const char* host : {"a/b", "b.example#f", "b.example?x"})
        expect_refused(with([&](auto& of) { of.hosts = {host}; }), "hosts");
    expect_refused(with([](auto& of) { of.hosts.assign(21, "a.example"); }), "hosts");
    expect_refused(with([](auto& of) { of.username = "ada"; }), "basic");
    expect_refused(with([](auto& of) { of.parameter = "x-key"; }), "api_key");
    expect_refused(key_account(key_place::query, ""), "query parameter");
    expect_refused(key_account(key_place::header, std::string(201, 'x')), "HTTP header");
    for (const char* name : {"a b", "x\r\ny", "a:b"})
        expect_refused(key_account(key_place::header, name), "HTTP header");
    for (const char* name : {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Proxy-Authorization",
                             "Range", "content_length"})
        expect_refused(key_account(key_place::header, name), "HTTP's own");
    auto prefixed = key_account(key_place::header, "authorization");
    prefixed.prefix = "Token\r\nx: ";
    expect_refused(prefixed, "prefix");
    auto nobody = basic_account();
    nobody.username = "a:b";
    expect_refused(nobody, "username");
}

TEST(account, secret_is_what_a_header_can_carry) {
    auto of = bearer_account();
    EXPECT_TRUE(check_secret(of, "12345678"));
    for (const auto& each : {std::string("1234567"), std::string(""), std::string("with a space"),
                             std::string("line\nbreak1"), std::string(8193, 'x'), std::string("nul\0nul1", 8)}) {
        auto refused = check_secret(of, each);
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("1234567")));
    }
    EXPECT_TRUE(check_secret(basic_account(), "x"));
    EXPECT_FALSE(check_secret(basic_account(), ""));
}

}  // namespace
}  // namespace gateway::accounts
