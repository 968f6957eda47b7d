#include "gateway/egress/destination.hpp"

#include <gtest/gtest.h>

namespace gateway::egress {
namespace {

TEST(parse_destination, takes_names_and_addresses_with_and_without_a_port) {
    EXPECT_EQ(parse_destination("example.com:8443", 0)->text(), "example.com:8443");
    EXPECT_EQ(parse_destination("example.com", 80)->text(), "example.com:80");
    EXPECT_FALSE(parse_destination("example.com", 80)->address);
    EXPECT_EQ(parse_destination("1.1.1.1:443", 0)->address, asio::ip::make_address("1.1.1.1"));
    EXPECT_EQ(parse_destination("[2606:4700:0::1111]:443", 0)->text(), "[2606:4700::1111]:443");
    EXPECT_EQ(parse_destination("[2606:4700::1111]", 80)->host, "2606:4700::1111");
}

TEST(parse_destination, writes_a_host_in_one_way) {
    EXPECT_EQ(parse_destination("EXAMPLE.Com.:443", 0)->host, "example.com");
    EXPECT_EQ(parse_destination("XN--BCHER-KVA.example", 443)->host, "xn--bcher-kva.example");
    EXPECT_EQ(parse_destination("_dmarc.my_host.example", 443)->host, "_dmarc.my_host.example");
}

TEST(parse_destination, refuses_other_spellings_of_an_address) {
    for (const char* each :
         {"2130706433:443", "0x7f000001:443", "0x7f.1:443", "127.1:443", "127.0.0.01:443", "0177.0.0.1:443",
          "127.0.0.1.:443", "a.b.1:443", "[::ffff:127.0.0.1]:443", "[::ffff:7f00:1]:443", "[fe80::1%lo]:443",
          "[127.0.0.1]:443", "::1:443", "017700000001:443"})
        EXPECT_FALSE(parse_destination(each, 0)) << each;
}

TEST(parse_destination, refuses_what_is_no_host_and_port) {
    std::string nul("a\0b.example:443", 15), address_with_nul("1.1.1.1\0.example:443", 20);
    for (const std::string& each : {std::string(""),
                                    std::string(":443"),
                                    std::string("example.com:"),
                                    std::string("example.com:0"),
                                    std::string("example.com:65536"),
                                    std::string("example.com:+443"),
                                    std::string("example.com:443x"),
                                    std::string("me@example.com:443"),
                                    std::string("example.com/x:443"),
                                    std::string("[::1"),
                                    std::string("[::1]443"),
                                    std::string("a..b:443"),
                                    std::string(".:443"),
                                    std::string("example.com..:443"),
                                    std::string("-a.example:443"),
                                    std::string("a-.example:443"),
                                    std::string("*.example.com:443"),
                                    std::string("b\xc3\xbc"
                                                "cher.example:443"),
                                    std::string("a b.example:443"),
                                    nul,
                                    address_with_nul,
                                    std::string(64, 'a') + ".example:443",
                                    std::string(300, 'a') + ":443"}) {
        auto parsed = parse_destination(each, 0);
        ASSERT_FALSE(parsed) << each;
        EXPECT_EQ(parsed.error().code, errc::invalid_request);
        EXPECT_LT(parsed.error().message.size(), 400u);
    }
}

TEST(parse_destination, asks_for_a_port_where_there_is_no_default) {
    EXPECT_EQ(parse_destination("example.com", 0).error().message, "\"example.com\" has no port: write HOST:PORT");
}

TEST(parse_destination, an_error_shows_no_control_characters) {
    EXPECT_EQ(parse_destination("a\x1b[31m\n.example:443", 0).error().message.find_first_of("\x1b\n"),
              std::string::npos);
}

TEST(parse_name, takes_names_as_long_as_dns_has_them) {
    std::string label(63, 'a');
    auto longest = label + "." + label + "." + label + "." + std::string(61, 'b');
    ASSERT_EQ(longest.size(), 253u);
    EXPECT_EQ(*parse_name(longest + "."), longest);
    EXPECT_FALSE(parse_name(longest + "b"));
}

}  // namespace
}  // namespace gateway::egress
