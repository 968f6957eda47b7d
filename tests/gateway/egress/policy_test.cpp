#include "gateway/egress/policy.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gateway/egress/preset.hpp"

namespace gateway::egress {
namespace {

using nlohmann::json;

constexpr std::size_t max_rules = 200;

policy parsed(const char* text) { return parse_policy(json::parse(text), max_rules).value(); }

failure refused(const char* text, std::size_t limit = max_rules) {
    auto made = parse_policy(json::parse(text), limit);
    EXPECT_FALSE(made) << text;
    return made ? failure() : made.error();
}

// "" when it is allowed.
std::string answer(const policy& by, const char* to) {
    auto why = check(by, *parse_destination(to, 443));
    return why ? to_string(*why) : "";
}

TEST(policy, is_off_unless_something_else_is_said) {
    EXPECT_EQ(answer({}, "example.com"), "network_off");
    EXPECT_EQ(answer(parsed(R"({"mode":"none"})"), "example.com"), "network_off");
}

TEST(policy, all_is_every_host_and_port) {
    auto all = parsed(R"({"mode":"all"})");
    for (const char* each : {"example.com", "example.com:22", "1.1.1.1", "[2606:4700::1111]:8443"})
        EXPECT_EQ(answer(all, each), "") << each;
}

TEST(policy, a_host_is_that_host_on_the_usual_ports) {
    auto by = parsed(R"({"mode":"allow","allow":[{"host":"Example.COM."}]})");
    for (const char* each : {"example.com:443", "example.com:80", "EXAMPLE.com.:443"})
        EXPECT_EQ(answer(by, each), "") << each;
    EXPECT_EQ(answer(by, "example.com:22"), "port_not_allowed");
    for (const char* each : {"a.example.com", "evil-example.com", "example.com.evil.test", "example.co", "com"})
        EXPECT_EQ(answer(by, each), "host_not_allowed") << each;
}

TEST(policy, a_wildcard_is_every_name_below_and_not_the_apex) {
    auto by = parsed(R"({"mode":"allow","allow":[{"host":"*.example.test","ports":[443]}]})");
    for (const char* each : {"a.example.test", "b.a.example.test", "A.Example.Test."})
        EXPECT_EQ(answer(by, each), "") << each;
    for (const char* each : {"example.test", "evil-example.test", "evilexample.test", "example.test.evil.test"})
        EXPECT_EQ(answer(by, each), "host_not_allowed") << each;
    EXPECT_EQ(answer(by, "a.example.test:80"), "port_not_allowed");
}

TEST(policy, a_network_is_for_addresses_and_a_name_for_names) {
    auto by = parsed(
        R"({"mode":"allow","allow":[{"cidr":"203.0.113.0/24"},{"cidr":"2001:db8::/32","ports":[8443]},{"host":"a.test"}]})");
    EXPECT_EQ(answer(by, "203.0.113.9"), "");
    EXPECT_EQ(answer(by, "[2001:db8::1]:8443"), "");
    EXPECT_EQ(answer(by, "[2001:db8::1]:443"), "port_not_allowed");
    EXPECT_EQ(answer(by, "203.0.114.9"), "host_not_allowed");
    EXPECT_EQ(answer(by, "[64:ff9b::cb00:7109]"), "host_not_allowed");  // NAT64's form of 203.0.113.9
    EXPECT_EQ(answer(by, "b.test"), "host_not_allowed");
}

TEST(policy, the_ports_of_several_rules_add_up) {
    auto by = parsed(R"({"mode":"allow","allow":[{"host":"a.test","ports":[22]},{"host":"*.test","ports":[443]}]})");
    EXPECT_EQ(answer(by, "a.test:22"), "");
    EXPECT_EQ(answer(by, "a.test:443"), "");
    EXPECT_EQ(answer(by, "b.test:22"), "port_not_allowed");
}

TEST(policy, a_preset_is_its_hosts_on_its_ports) {
    auto pypi = parsed(R"({"mode":"allow","allow":[{"preset":"pypi"}]})");
    EXPECT_EQ(answer(pypi, "pypi.org"), "");
    EXPECT_EQ(answer(pypi, "files.pythonhosted.org"), "");
    EXPECT_EQ(answer(pypi, "pypi.org:80"), "port_not_allowed");
    EXPECT_EQ(answer(pypi, "github.com"), "host_not_allowed");
    auto more = parsed(R"({"mode":"allow","allow":[{"preset":"debian"},{"preset":"github"}]})");
    EXPECT_EQ(answer(more, "deb.debian.org:80"), "");
    EXPECT_EQ(answer(more, "raw.githubusercontent.com"), "");
}

TEST(policy, every_host_of_a_preset_could_be_a_rule) {
    std::string names = preset_names() + ", ";
    std::size_t seen = 0;
    for (std::size_t at = 0, comma = 0; (comma = names.find(", ", at)) != std::string::npos; at = comma + 2, ++seen)
        for (auto host : find_preset(names.substr(at, comma - at))->hosts) {
            json rule{{"mode", "allow"}, {"allow", json::array({json{{"host", std::string(host)}}})}};
            auto made = parse_policy(rule, max_rules);
            ASSERT_TRUE(made) << host;
            EXPECT_EQ(made->allow[0].host, host);
        }
    EXPECT_EQ(seen, 10u);
}

TEST(policy_json, comes_back_as_it_was_understood) {
    auto text =
        R"({"mode":"allow","allow":[{"host":"*.PythonHosted.org","ports":[8443,443,443]},{"cidr":"203.0.113.0/24"},
            {"preset":"pypi"}],"max_bytes":1000})";
    auto written = to_json(parsed(text));
    EXPECT_EQ(written, json::parse(R"({"mode":"allow","allow":[{"host":"*.pythonhosted.org","ports":[443,8443]},
        {"cidr":"203.0.113.0/24","ports":[80,443]},{"preset":"pypi"}],"max_bytes":1000})"));
    EXPECT_EQ(*parse_policy(written, max_rules), parsed(text));
    EXPECT_EQ(to_json(policy()), json::parse(R"({"mode":"none"})"));
    EXPECT_EQ(to_json(parsed(R"({"mode":"all","allow":[],"max_bytes":null})")), json::parse(R"({"mode":"all"})"));
}

TEST(policy_json, an_error_says_where_and_what_to_write) {
    const std::pair<const char*, const char*> table[] = {
        {R"([])", "network: write {"},
        {R"({})", "network.mode: write"},
        {R"({"mode":"some"})", "network.mode: write"},
        {R"({"mode":"allow"})", "network.allow: mode \"allow\" needs a list"},
        {R"({"mode":"allow","allow":{}})", "network.allow: mode \"allow\" needs a list"},
        {R"({"mode":"all","allow":[{"host":"a.test"}]})", "network.allow: mode \"all\" has no list"},
        {R"({"mode":"allow","allow":["a.test"]})", "network.allow[0]: write {"},
        {R"({"mode":"allow","allow":[{}]})", "network.allow[0]: write one of"},
        {R"({"mode":"allow","allow":[{"host":"a.test","cidr":"1.1.1.1"}]})", "network.allow[0]: write one of"},
        {R"({"mode":"allow","allow":[{"host":1}]})", "network.allow[0]: host is a text"},
        {R"({"mode":"allow","allow":[{"host":"*"}]})", "network.allow[0].host: every host is mode \"all\""},
        {R"({"mode":"allow","allow":[{"host":"a.*.test"}]})", "network.allow[0].host: \"a.*.test\" is no host name"},
        {R"({"mode":"allow","allow":[{"host":"*.*.test"}]})", "network.allow[0].host: \"*.test\" is no host name"},
        {R"({"mode":"allow","allow":[{"host":"*."}]})", "network.allow[0].host: \"\" is no host name"},
        {R"({"mode":"allow","allow":[{"host":"https://a.test"}]})", "network.allow[0].host: \"https://a.test\" is no"},
        {R"({"mode":"allow","allow":[{"host":"bücher.test"}]})", "names in other scripts as xn--"},
        {R"({"mode":"allow","allow":[{"host":"1.1.1.1"}]})", "write an address as {\"cidr\": \"1.1.1.1\"}"},
        {R"({"mode":"allow","allow":[{"host":"2130706433"}]})", "ends in a number"},
        {R"({"mode":"allow","allow":[{"cidr":"10.0.0.0/33"}]})",
         "network.allow[0].cidr: \"10.0.0.0/33\" is no network"},
        {R"({"mode":"allow","allow":[{"preset":"pypy"}]})", "network.allow[0].preset: \"pypy\" is none of conda, cran"},
        {R"({"mode":"allow","allow":[{"preset":"pypi","ports":[443]}]})", "a preset has its own ports"},
        {R"({"mode":"allow","allow":[{"host":"a.test"},{"host":"b.test","ports":[]}]})",
         "network.allow[1].ports: write"},
        {R"({"mode":"allow","allow":[{"host":"a.test","ports":[0]}]})", "network.allow[0].ports: write"},
        {R"({"mode":"allow","allow":[{"host":"a.test","ports":[65536]}]})", "network.allow[0].ports: write"},
        {R"({"mode":"allow","allow":[{"host":"a.test","ports":[-1]}]})", "network.allow[0].ports: write"},
        {R"({"mode":"allow","allow":[{"host":"a.test","ports":443}]})", "network.allow[0].ports: write"},
        {R"({"mode":"all","max_bytes":0})", "network.max_bytes: write"},
        {R"({"mode":"all","max_bytes":-1})", "network.max_bytes: write"},
        {R"({"mode":"all","max_bytes":1.5})", "network.max_bytes: write"},
    };
    for (const auto& [text, message] : table) {
        auto why = refused(text);
        EXPECT_EQ(why.code, errc::invalid_request) << text;
        EXPECT_NE(why.message.find(message), std::string::npos) << text << ": " << why.message;
    }
}

TEST(policy_json, unknown_fields_are_named) {
    auto why = refused(R"({"mode":"all","deny":[]})");
    EXPECT_EQ(why.code, errc::unknown_field);
    EXPECT_NE(why.message.find("network: there is no field \"deny\""), std::string::npos) << why.message;
    why = refused(R"({"mode":"allow","allow":[{"host":"a.test","port":443}]})");
    EXPECT_NE(why.message.find("network.allow[0]: there is no field \"port\""), std::string::npos) << why.message;
}

TEST(policy_json, too_many_entries_name_the_setting) {
    auto why = refused(R"({"mode":"allow","allow":[{"preset":"pypi"},{"preset":"npm"},{"preset":"go"}]})", 2);
    EXPECT_EQ(why.code, errc::too_large);
    EXPECT_NE(why.message.find("network.max_rules allows 2"), std::string::npos) << why.message;
}

TEST(denial, has_a_name_and_a_meaning_for_each) {
    EXPECT_STREQ(to_string(denial::network_off), "network_off");
    EXPECT_STREQ(to_string(denial::host_header_mismatch), "host_header_mismatch");
    EXPECT_STREQ(to_string(denial::bytes_used_up), "bytes_used_up");
    EXPECT_NE(std::string(describe(denial::bytes_used_up)).find("max_bytes"), std::string::npos);
}

}  // namespace
}  // namespace gateway::egress
