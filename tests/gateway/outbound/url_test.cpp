#include "gateway/outbound/url.hpp"

#include <gtest/gtest.h>

#include "gateway/outbound/headers.hpp"

namespace gateway::outbound {
namespace {

TEST(parse_url, takes_a_url_apart) {
    EXPECT_EQ(*parse_url("https://example.com/mcp?a=b%20c"), (url{true, "example.com", 443, "/mcp?a=b%20c"}));
    EXPECT_EQ(*parse_url("http://127.0.0.1:3001/mcp#part"), (url{false, "127.0.0.1", 3001, "/mcp"}));
    EXPECT_EQ(*parse_url("HTTP://[::1]:80"), (url{false, "::1", 80, "/"}));
    EXPECT_EQ(*parse_url("http://host?x=1"), (url{false, "host", 80, "/?x=1"}));
}

TEST(parse_url, refuses_what_is_no_absolute_http_url) {
    for (const char* each : {"", "host", "/mcp", "ftp://host/", "http://", "http:///x", "http://host:99999/",
                             "http://host:0/", "http://me:secret@host/", "http://ho st/", "http://host/a b"}) {
        auto parsed = parse_url(each);
        ASSERT_FALSE(parsed) << each;
        EXPECT_EQ(parsed.error().code, errc::invalid_request);
        EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos);
    }
}

TEST(parse_url, writes_a_host_in_one_way) {
    EXPECT_EQ(parse_url("https://API.Example.COM./x")->host, "api.example.com");
    EXPECT_EQ(parse_url("https://%61pi.example.com/")->host, "api.example.com");
}

TEST(parse_url, refuses_an_ipv4_address_in_an_unusual_spelling) {
    for (const char* each :
         {"http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://127.1/", "http://127.0.0.1./",
          "http://0177.0.0.1/", "http://127.0.0.01/", "http://a.b.1/", "http://1./", "http://256.1.1.1/",
          "http://%31%32%37.1/", "http://\xef\xbc\x91.1/", "http://%EF%BC%91%EF%BC%92.com/", "http://a%00b/",
          "http://a%2fb/", "http://[v1.fe80]/", "http://[::ffff:0x7f.1]/"})
        EXPECT_FALSE(parse_url(each)) << each;
    EXPECT_EQ(parse_url("http://1.1.1.1/")->host, "1.1.1.1");
}

TEST(url, the_host_header_leaves_the_usual_port_out) {
    EXPECT_EQ(parse_url("https://a.b/")->host_header(), "a.b");
    EXPECT_EQ(parse_url("https://a.b:80/")->host_header(), "a.b:80");
    EXPECT_EQ(parse_url("http://[::1]:81/")->host_header(), "[::1]:81");
    EXPECT_EQ(parse_url("http://a.b/x?token=1")->origin(), "http://a.b");
}

TEST(headers, are_found_in_any_case) {
    headers fields{{"Content-Type", "a"}, {"content-type", "b"}};
    EXPECT_EQ(find_header(fields, "CONTENT-TYPE"), "a");
    EXPECT_EQ(find_header(fields, "x"), "");
}

TEST(headers, that_could_begin_another_line_are_refused) {
    EXPECT_TRUE(is_valid_header("x-a", "b c\xc3\xa4"));
    EXPECT_FALSE(is_valid_header("x-a", "b\r\nc: d"));
    EXPECT_FALSE(is_valid_header("x a", "b"));
    EXPECT_FALSE(is_valid_header("", "b"));
}

}  // namespace
}  // namespace gateway::outbound
