#include "gateway/accounts/secret_finder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "gateway/accounts/credential.hpp"
#include "gateway/base/base64.hpp"
#include "tests/gateway/accounts/account_fixture.hpp"

namespace gateway::accounts {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string secret = "sk/live+abc=d&e<jk>'l\"m\\n";

std::string hidden(std::string text, const std::string& what = secret, const account& of = bearer_account()) {
    const credential with(of, what);
    with.hide_in(text);
    return text;
}

// `spell` says how a character that is neither a letter nor a digit is written.
template <class Spell>
std::string spelled(const std::string& text, Spell spell) {
    std::string made;
    for (char each : text) made += std::isalnum(static_cast<unsigned char>(each)) ? std::string(1, each) : spell(each);
    return made;
}

std::string printed(const char* form, char letter) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), form, static_cast<unsigned char>(letter));
    return text.data();
}

TEST(a_secret, is_found_in_every_spelling_of_its_characters) {
    for (const char* form : {"%c", "%%%02X", "%%%02x", "\\u%04x", "\\u%04X", "\\U%08x", "\\x%02x", "&#%d;", "&#x%x;",
                             "&#X%02X;", "&#%05d;", "\\%c", "%%u%04X", "%%25%02X", "%%2525%02x", "\\u0026#%d;",
                             "&amp;#%d;", "\\\\u%04x", "\\\\\\%c"}) {
        auto text = spelled(secret, [&](char each) { return printed(form, each); });
        EXPECT_EQ(hidden("before " + text + " after"), "before (hidden) after") << text;
    }
    for (const char* form : {"%%%02x", "\\u%04x", "&#x%x;"}) {
        std::string text;
        for (char each : secret) text += printed(form, each);
        EXPECT_EQ(hidden(text), "(hidden)") << text;
    }
}

TEST(a_secret, is_found_as_libraries_write_it) {
    auto only = [](const char* letters, const char* form) {
        return spelled(
            secret, [=](char each) { return std::strchr(letters, each) ? printed(form, each) : std::string(1, each); });
    };
    EXPECT_EQ(hidden(only("/", "\\%c")), "(hidden)");
    EXPECT_EQ(hidden(only("=&<>'", "\\u%04x")), "(hidden)");
    EXPECT_EQ(hidden(only("+=&<>'\"\\", "%%%02X")), "(hidden)");  // a URL's path keeps the slash
    auto html = [](char each) -> std::string {
        if (each == '&') return "&amp;";
        if (each == '<') return "&lt;";
        if (each == '>') return "&gt;";
        if (each == '"') return "&quot;";
        return each == '\'' ? "&#x27;" : each == '/' ? "&sol;" : std::string(1, each);
    };
    EXPECT_EQ(hidden(spelled(secret, html)), "(hidden)");
    EXPECT_EQ(hidden("sk/live+ab\r\n c", "sk/live+ab c"), "(hidden)");
    EXPECT_EQ(hidden("x=with+a+space", "with a space", basic_account()), "x=(hidden)");
    EXPECT_EQ(hidden(R"(p\u00e4ssw\u00f6rt)", "p\xc3\xa4ssw\xc3\xb6rt", basic_account()), "(hidden)");
    EXPECT_EQ(hidden(R"(key\ud83d\ude00word)", "key\xf0\x9f\x98\x80word", basic_account()), "(hidden)");
}

TEST(a_secret, is_found_whatever_stands_around_it) {
    EXPECT_EQ(hidden("%41bcdefgh", "41bcdefgh"), "%(hidden)");
    EXPECT_EQ(hidden("%41bcdefgh", "Abcdefgh"), "(hidden)");
    EXPECT_EQ(hidden("%%41bcdefgh", "%41bcdefgh"), "%(hidden)");
    // The whole of an escape at the end goes: what is left of JSON must be JSON.
    EXPECT_EQ(hidden(R"(["secret\\\\",1])", R"(secret\\)"), R"x(["(hidden)",1])x");
    EXPECT_EQ(hidden("[secretxy%25]", "secretxy%"), "[(hidden)]");
    EXPECT_EQ(hidden("aaaaaaaaab", "aaaaaaab"), "aa(hidden)");
    EXPECT_EQ(hidden("12345678123456781234567", "12345678"), "(hidden)(hidden)1234567");
    EXPECT_EQ(hidden("SECRET-KEY", "Secret-Key"), "(hidden)");
    EXPECT_EQ(hidden("100% of it & more \\ or + less", "Abcdefgh"), "100% of it & more \\ or + less");
}

TEST(a_secret, is_found_in_base64_of_whatever_it_is_a_part_of) {
    for (const char* before : {"", "a", "ab", "Bearer ", "Token ", "user:"}) {
        for (const char* after : {"", "x", "xy", ":more"}) {
            auto text = to_base64(before + secret + after);
            auto url_text = text;
            std::replace(url_text.begin(), url_text.end(), '+', '-');
            std::replace(url_text.begin(), url_text.end(), '/', '_');
            std::string bare = url_text.substr(0, url_text.find('='));
            for (const auto& each : {text, url_text, bare}) {
                auto shown = hidden(each);
                EXPECT_THAT(shown, HasSubstr("(hidden)")) << each;
                EXPECT_LE(shown.size(), 8 + 2 * (std::strlen(before) + std::strlen(after)) + 4) << each << " " << shown;
            }
        }
    }
    auto wrapped = to_base64(secret);
    EXPECT_THAT(hidden(wrapped.substr(0, 9) + "\n" + wrapped.substr(9)), Not(HasSubstr(wrapped.substr(0, 9))));
    EXPECT_THAT(hidden(wrapped.substr(0, 9) + "\\n" + wrapped.substr(9)), Not(HasSubstr(wrapped.substr(0, 9))));
}

TEST(a_secret, is_found_as_hex) {
    std::string lower, upper;
    for (char each : secret) lower += printed("%02x", each), upper += printed("%02X", each);
    EXPECT_EQ(hidden("<" + lower + "|" + upper + ">"), "<(hidden)|(hidden)>");
}

TEST(a_short_password, is_hidden_in_what_was_sent) {
    auto of = basic_account();
    EXPECT_EQ(hidden("Basic YWRhOnB3, YWRhOnB3", "pw", of), "Basic (hidden), (hidden)");
    EXPECT_EQ(hidden("ada:pw, ada:pwx, pw", "pw", of), "(hidden), ada:pwx, pw");
    of.username = "a";
    EXPECT_EQ(hidden("Basic YTpi; YTpi=; xYTpi", "b", of), "(hidden); (hidden)=; xYTpi");
    EXPECT_EQ(hidden(to_base64("secret"), "secret", basic_account()), "(hidden)");
}

TEST(a_secret, is_looked_for_in_linear_time) {
    const std::string text(1u << 20, 'a');
    auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(hidden(text, std::string(2'000, 'a') + "b").size(), text.size());
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60));  // times two thousand without that
}

}  // namespace
}  // namespace gateway::accounts
