#include "gateway/egress/meter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gateway::egress {
namespace {

struct egress_meter : testing::Test {
    std::vector<std::string> told;
    std::vector<std::uint64_t> ceilings;
    wall_clock::time_point now{};
    meter counted{200,
                  {[this](const destination& to, denial why) { told.push_back(to.text() + " " + to_string(why)); },
                   [this](std::uint64_t most) { ceilings.push_back(most); }},
                  [this] { return now; }};

    static destination to(const std::string& text) { return *parse_destination(text, 443); }
};

TEST_F(egress_meter, counts_bytes_and_connections_by_destination) {
    counted.count_connection(to("a.test"));
    EXPECT_EQ(counted.take(to("a.test"), direction::out, 10), 10u);
    EXPECT_EQ(counted.take(to("a.test"), direction::in, 500), 500u);
    EXPECT_EQ(counted.take(to("a.test:80"), direction::in, 7), 7u);
    const auto& row = counted.destinations().rows.at("a.test:443");
    EXPECT_EQ(row.connections, 1u);
    EXPECT_EQ(row.bytes_out, 10u);
    EXPECT_EQ(row.bytes_in, 500u);
    EXPECT_EQ(counted.destinations().rows.at("a.test:80").bytes_in, 7u);
    EXPECT_EQ(counted.total(), 517u);
}

TEST_F(egress_meter, gives_no_byte_past_the_ceiling_and_tells_it_once) {
    counted.set_ceiling(100);
    EXPECT_EQ(counted.take(to("a.test"), direction::out, 60), 60u);
    EXPECT_TRUE(ceilings.empty());
    EXPECT_EQ(counted.take(to("b.test"), direction::in, 60), 40u);
    EXPECT_EQ(counted.take(to("a.test"), direction::in, 1), 0u);
    EXPECT_TRUE(counted.is_used_up());
    EXPECT_EQ(counted.total(), 100u);
    EXPECT_EQ(ceilings, (std::vector<std::uint64_t>{100}));
}

TEST_F(egress_meter, a_ceiling_can_be_raised_lowered_and_taken_away) {
    counted.set_ceiling(100);
    counted.take(to("a.test"), direction::out, 100);
    counted.set_ceiling(150);
    EXPECT_FALSE(counted.is_used_up());
    EXPECT_EQ(counted.take(to("a.test"), direction::out, 100), 50u);
    counted.set_ceiling(20);
    EXPECT_EQ(counted.take(to("a.test"), direction::out, 1), 0u);
    counted.set_ceiling(std::nullopt);
    EXPECT_EQ(counted.take(to("a.test"), direction::out, 1), 1u);
    EXPECT_EQ(ceilings, (std::vector<std::uint64_t>{100, 150, 20}));
}

TEST_F(egress_meter, a_refusal_has_its_count_last_time_and_last_reason) {
    counted.count_denied(to("a.test"), denial::host_not_allowed);
    now += std::chrono::seconds(5);
    counted.count_denied(to("a.test"), denial::network_off);
    const auto& row = counted.denied().rows.at("a.test:443");
    EXPECT_EQ(row.count, 2u);
    EXPECT_EQ(row.last, now);
    EXPECT_EQ(row.why, denial::network_off);
    EXPECT_EQ(told, (std::vector<std::string>{"a.test:443 host_not_allowed"}));
}

TEST_F(egress_meter, thousands_of_hosts_are_two_hundred_rows_and_the_others) {
    for (int number = 0; number < 5000; ++number) {
        auto host = to("h" + std::to_string(number) + ".test");
        counted.count_denied(host, denial::host_not_allowed);
        counted.take(host, direction::out, 1);
    }
    EXPECT_EQ(counted.denied().rows.size(), 200u);
    EXPECT_EQ(counted.denied().others.count, 4800u);
    EXPECT_EQ(counted.destinations().rows.size(), 200u);
    EXPECT_EQ(counted.destinations().others.bytes_out, 4800u);
    EXPECT_EQ(told.size(), 201u);
    EXPECT_EQ(counted.total(), 5000u);
}

}  // namespace
}  // namespace gateway::egress
