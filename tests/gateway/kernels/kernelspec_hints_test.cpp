#include "gateway/kernels/kernelspec_hints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gateway/kernels/kernelspec_file.hpp"

namespace gateway::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

kernelspec_hints hints_of(const char* metadata) {
    auto hints = parse_hints(nlohmann::json::parse(metadata));
    EXPECT_TRUE(hints) << metadata;
    return hints ? *hints : kernelspec_hints();
}

TEST(kernelspec_hints_test, a_spec_that_says_nothing_is_executed_over_what_works) {
    for (const char* metadata : {"{}", R"({"debugger":true})", R"({"cellgate":{}})"})
        EXPECT_EQ(hints_of(metadata), kernelspec_hints()) << metadata;
    EXPECT_FALSE(kernelspec_hints().is_forked());
}

TEST(kernelspec_hints_test, a_prefix_asks_for_a_fork_server_and_fixes_the_transport) {
    auto hints = hints_of(R"({"cellgate":{"prefix":"/opt/venv","preload":["numpy","matplotlib.pyplot"]}})");
    EXPECT_TRUE(hints.is_forked());
    EXPECT_EQ(hints.prefix, "/opt/venv");
    EXPECT_THAT(hints.preload, ElementsAre("numpy", "matplotlib.pyplot"));
    EXPECT_EQ(hints.over, transport::ipc);
    EXPECT_EQ(hints_of(R"({"cellgate":{"prefix":"/usr","transport":"tcp"}})").over, transport::tcp);
}

TEST(kernelspec_hints_test, the_transport_of_any_kernel_can_be_fixed) {
    EXPECT_EQ(hints_of(R"({"cellgate":{"transport":"tcp"}})").over, transport::tcp);
    EXPECT_EQ(hints_of(R"({"cellgate":{"transport":"ipc"}})").over, transport::ipc);
}

TEST(kernelspec_hints_test, what_cannot_be_meant_is_refused_by_its_key) {
    const std::pair<const char*, const char*> table[] = {
        {R"({"cellgate":[]})", "metadata.cellgate\""},
        {R"({"cellgate":{"transport":"udp"}})", "metadata.cellgate.transport"},
        {R"({"cellgate":{"prefix":"venv"}})", "metadata.cellgate.prefix"},
        {R"({"cellgate":{"prefix":""}})", "metadata.cellgate.prefix"},
        {R"({"cellgate":{"prefix":7}})", "metadata.cellgate.prefix"},
        {R"({"cellgate":{"prefix":"/a\nb"}})", "metadata.cellgate.prefix"},
        {R"({"cellgate":{"prefix":"/usr","preload":"numpy"}})", "metadata.cellgate.preload"},
        {R"({"cellgate":{"prefix":"/usr","preload":["a,b"]}})", "metadata.cellgate.preload"},
        {R"({"cellgate":{"prefix":"/usr","preload":["a."]}})", "metadata.cellgate.preload"},
        {R"({"cellgate":{"prefix":"/usr","preload":[1]}})", "metadata.cellgate.preload"},
        {R"({"cellgate":{"preload":["numpy"]}})", "metadata.cellgate.preload"},
    };
    for (const auto& [metadata, named] : table) {
        auto hints = parse_hints(nlohmann::json::parse(metadata));
        ASSERT_FALSE(hints) << metadata;
        EXPECT_THAT(hints.error().message, HasSubstr(named)) << metadata;
    }
}

TEST(kernelspec_hints_test, a_kernel_json_is_read_with_them_or_refused) {
    const std::string head = R"({"argv":["x"],"display_name":"X","language":"x","metadata":{"cellgate":{"prefix":)";
    auto spec = parse_kernelspec("x", "/d/x", head + R"("/usr"}}})");
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->hints.prefix, "/usr");
    EXPECT_EQ(spec->metadata, R"({"cellgate":{"prefix":"/usr"}})");
    EXPECT_FALSE(parse_kernelspec("x", "/d/x", head + "1}}}"));
}

}  // namespace
}  // namespace gateway::kernels
