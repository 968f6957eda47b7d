#include "gateway/kernels/zygotes.hpp"

#include <filesystem>
#include <fstream>

#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

class zygotes_test : public kernel_fixture {
  protected:
    void install(const std::string& name, const std::string& metadata) {
        auto directory = root.path() + "/specs/" + name;
        fs::create_directories(directory);
        std::ofstream(directory + "/kernel.json")
            << R"({"argv":["/bin/true"],"display_name":"X","language":"python","metadata":)" << metadata << "}";
    }

    kernelspec_store specs{{root.path() + "/specs"}};
};

TEST_F(zygotes_test, each_that_is_named_is_started_once) {
    install("cellgate", R"({"cellgate":{"prefix":"/usr"}})");
    install("cellgate-other", R"({"cellgate":{"prefix":"/usr","preload":["json"]}})");
    install("cellgate-unnamed", R"({"cellgate":{"prefix":"/usr","preload":["re"]}})");
    prepare_zygotes(shared, specs, {"cellgate", "python3", "python", "cellgate-other"});
    ASSERT_EQ(processes.prepared.size(), 2u);
    EXPECT_EQ(processes.prepared[0].argv.back(), "/usr");
    EXPECT_EQ(processes.prepared[1].argv.back(), "json");
}

TEST_F(zygotes_test, what_has_none_or_cannot_have_one_keeps_nobody) {
    install("bash", "{}");
    install("broken", R"({"cellgate":{"prefix":"/nowhere"}})");
    prepare_zygotes(shared, specs, {"bash", "broken", "not-there", ""});
    EXPECT_TRUE(processes.prepared.empty());
}

}  // namespace
}  // namespace gateway::kernels
