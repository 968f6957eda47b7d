#include "gateway/outbound/address_policy.hpp"

#include <gtest/gtest.h>

namespace gateway::outbound {
namespace {

bool allowed(const address_policy& policy, const char* address) {
    return check(policy, asio::ip::make_address(address)).has_value();
}

TEST(address_policy, public_addresses_may_always_be_reached) {
    for (const char* each : {"1.1.1.1", "192.31.196.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::101:101"})
        EXPECT_TRUE(allowed(address_policy::public_only(), each)) << each;
}

TEST(address_policy, this_machine_and_its_networks_are_closed_unless_allowed) {
    for (const char* each : {"127.0.0.1", "127.9.9.9", "::1", "10.0.0.1", "172.16.5.4", "192.168.1.1", "100.64.0.1",
                             "fd00::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"}) {
        EXPECT_FALSE(allowed(address_policy::public_only(), each)) << each;
        EXPECT_TRUE(allowed(address_policy::configured(), each)) << each;
    }
}

TEST(address_policy, link_local_and_special_addresses_are_closed_to_everyone) {
    for (const char* each :
         {"169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "::", "fe80::1", "ff02::1",
          "2001:db8::1", "::ffff:169.254.169.254", "2002:a9fe:a9fe::", "fe80::1%lo", "100.100.100.200", "fd00:ec2::254",
          "168.63.129.16", "::127.0.0.1", "2001::1", "5f00::1", "64:ff9b:1::1"})
        EXPECT_FALSE(allowed(address_policy::configured(), each)) << each;
}

TEST(address_policy, a_named_network_is_open_and_nothing_beside_it) {
    address_policy policy{
        false, false, {*parse_network("10.1.0.0/16"), *parse_network("127.0.0.1"), *parse_network("fd12::/16")}};
    for (const char* each : {"10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "127.0.0.1", "fd12:3::4", "1.1.1.1"})
        EXPECT_TRUE(allowed(policy, each)) << each;
    for (const char* each : {"10.2.0.1", "127.0.0.2", "::1", "fd13::1", "192.168.0.1"})
        EXPECT_FALSE(allowed(policy, each)) << each;
}

TEST(address_policy, no_named_network_opens_where_credentials_are_served) {
    address_policy policy{true, true, {*parse_network("0.0.0.0/0"), *parse_network("::/0")}};
    for (const char* each :
         {"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "100.100.100.200", "fd00:ec2::254", "fd00:ec2::23",
          "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "fd00:100::100:200", "fd00:a9fe:a9fe::1"})
        EXPECT_FALSE(allowed(policy, each)) << each;
}

TEST(parse_network, takes_networks_and_addresses_and_nothing_else) {
    EXPECT_EQ(parse_network("10.0.0.0/8")->prefix, 8);
    EXPECT_EQ(parse_network("10.0.0.1")->prefix, 32);
    EXPECT_EQ(parse_network("::1")->prefix, 128);
    for (const char* each :
         {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8x", "10.0.0/8", "host", "::/129", "10.0.0.0/-1", "/8"})
        EXPECT_FALSE(parse_network(each)) << each;
}

TEST(address_policy, a_refusal_names_the_address_and_its_kind) {
    auto refused = check(address_policy::public_only(), asio::ip::make_address("10.1.2.3"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::forbidden);
    EXPECT_EQ(refused.error().message,
              "10.1.2.3 is an address of a private network, which may not be reached from here");
}

}  // namespace
}  // namespace gateway::outbound
