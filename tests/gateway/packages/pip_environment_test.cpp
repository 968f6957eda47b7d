#include "gateway/packages/pip_environment.hpp"

#include <gtest/gtest.h>

namespace gateway::packages {
namespace {

using variables = std::map<std::string, std::string>;

const variables inherited = {{"PATH", "/bin"},
                             {"HOME", "/home/gateway"},
                             {"PIP_INDEX_URL", "https://machine.example/simple"},
                             {"PIP_TARGET", "/somewhere"},
                             {"PIP_CERT", "/ca.pem"},
                             {"PYTHONPATH", "/theirs"},
                             {"CELLGATE_SERVER_TOKEN", "a-key"},
                             {"AWS_SECRET_ACCESS_KEY", "another"}};

TEST(pips_environment, has_nothing_of_the_gateways_but_what_pip_needs) {
    auto made = pip_environment({}, "/cache", "/tmp/x", inherited);
    for (const auto* each : {"CELLGATE_SERVER_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH", "PIP_TARGET"})
        EXPECT_FALSE(made.contains(each)) << each;
    EXPECT_EQ(made["PIP_CACHE_DIR"], "/cache");
    EXPECT_EQ(made["TMPDIR"], "/tmp/x");
    EXPECT_EQ(made["PIP_CERT"], "/ca.pem");
}

TEST(pips_environment, asks_the_machines_index_when_none_is_configured) {
    auto made = pip_environment({}, "/cache", "/tmp/x", inherited);
    EXPECT_EQ(made["PIP_INDEX_URL"], "https://machine.example/simple");
    EXPECT_FALSE(made.contains("PIP_CONFIG_FILE"));
    EXPECT_EQ(made["HOME"], "/home/gateway");  // where pip's own files are
}

TEST(pips_environment, asks_only_the_configured_index) {
    index_settings own;
    own.index_url = "https://u:p@index.example/simple";
    own.extra_index_urls = {"https://a.example", "https://b.example"};
    own.trusted_hosts = {"index.example"};
    auto made = pip_environment(own, "/cache", "/tmp/x", inherited);
    EXPECT_EQ(made["PIP_INDEX_URL"], own.index_url);
    EXPECT_EQ(made["PIP_EXTRA_INDEX_URL"], "https://a.example https://b.example");
    EXPECT_EQ(made["PIP_TRUSTED_HOST"], "index.example");
    EXPECT_EQ(made["PIP_CONFIG_FILE"], "/dev/null");
    EXPECT_FALSE(made.contains("PIP_NO_INDEX"));
}

TEST(pips_environment, asks_no_index_when_only_directories_are_configured) {
    index_settings own;
    own.find_links = {"/wheels"};
    auto made = pip_environment(own, "/cache", "/tmp/x", inherited);
    EXPECT_EQ(made["PIP_NO_INDEX"], "1");
    EXPECT_EQ(made["PIP_FIND_LINKS"], "/wheels");
    EXPECT_FALSE(made.contains("PIP_INDEX_URL"));
}

}  // namespace
}  // namespace gateway::packages
