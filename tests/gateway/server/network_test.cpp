#include "gateway/server/network.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace gateway::server {
namespace {

using nlohmann::json;
using testing::HasSubstr;

config::config allowing(config::strings what) {
    config::config made;
    made.network.mode = "allow";
    made.network.allow = std::move(what);
    return made;
}

TEST(network_rules, say_by_default_that_agents_are_kept_in_and_jupyter_clients_are_not) {
    const auto made = to_network_rules({});
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->has_own(sessions::origin::agent));
    EXPECT_FALSE(made->has_own(sessions::origin::jupyter));
    EXPECT_EQ(made->usual, egress::policy());
}

TEST(network_rules, are_read_from_short_texts) {
    const auto made = to_network_rules(allowing(
        {"preset:pypi", "a.example", "*.b.example:8443", "10.0.0.0/8", "203.0.113.7/32:5432", "2001:db8::/32:443"}));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(egress::to_json(made->usual)["allow"], json::parse(R"([{"preset":"pypi"},
        {"host":"a.example","ports":[80,443]}, {"host":"*.b.example","ports":[8443]}, {"cidr":"10.0.0.0/8","ports":[80,443]},
        {"cidr":"203.0.113.7/32","ports":[5432]}, {"cidr":"2001:db8::/32","ports":[443]}])"));
}

TEST(network_rules, that_are_none_are_named) {
    for (const auto& [text, said] :
         {std::pair("preset:pip", "pip"), std::pair("*", "every host"), std::pair("a.example:x", "ports"),
          std::pair("a.example:70000", "ports"), std::pair("10.0.0.1", "cidr"), std::pair("10.0.0.0/40", "cidr")}) {
        const auto made = to_network_rules(allowing({text}));
        ASSERT_FALSE(made) << text;
        EXPECT_THAT(made.error().message, HasSubstr("network.allow"));
        EXPECT_THAT(made.error().message, HasSubstr(said));
    }
}

TEST(network_rules, say_in_which_network_pools_are) {
    config::config from;
    from.kernels.pool = {{"cellgate", 2}};
    from.kernels.jupyter_pool = {{"ipykernel", 1}};
    auto made = to_pool_sizes(from);
    ASSERT_EQ(made.size(), 2u);
    EXPECT_TRUE(made[0].spec_name == "cellgate" && made[0].count == 2 && made[0].own_network);
    EXPECT_TRUE(made[1].spec_name == "ipykernel" && made[1].count == 1 && !made[1].own_network);
}

TEST(network_rules, have_the_limits_that_are_configured) {
    config::config from;
    from.network.max_bytes = 5;
    from.network.max_connections = 7;
    from.network.idle_timeout_s = 9;
    from.network.allow_networks = {"10.1.0.0/16"};
    const auto made = to_network_rules(from);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->usual.max_bytes, 5u);
    EXPECT_EQ(made->limits.max_connections, 7u);
    EXPECT_EQ(made->limits.idle_timeout, std::chrono::seconds(9));
    EXPECT_TRUE(outbound::check(made->limits.reach, asio::ip::make_address("10.1.2.3")));
    EXPECT_FALSE(outbound::check(made->limits.reach, asio::ip::make_address("10.2.2.3")));
}

}  // namespace
}  // namespace gateway::server
