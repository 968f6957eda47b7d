#include "gateway/kernels/kernelspec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utime.h>

#include <filesystem>
#include <fstream>

#include "gateway/kernels/kernelspec_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* good = R"({"argv":["/bin/x","{connection_file}"],"display_name":"X","language":"x"})";

class kernelspec_test : public testing::Test {
  protected:
    std::string install(const std::string& where, const std::string& name, const std::string& json = good) {
        auto directory = root.path() + "/" + where + "/" + name;
        std::filesystem::create_directories(directory);
        std::ofstream(directory + "/kernel.json") << json;
        return directory;
    }
    void touch(const std::string& directory, const std::string& file) { std::ofstream(directory + "/" + file) << "x"; }
    kernelspec_store store() { return kernelspec_store({root.path() + "/first", root.path() + "/second"}); }

    static std::string names(kernelspec_store& specs) {
        std::string all;
        for (const auto& [name, spec] : specs.list()) all += (all.empty() ? "" : " ") + name;
        return all;
    }

    test_support::temporary_directory root;
};

TEST(kernelspec_file_test, a_spec_is_taken_over_whole) {
    auto spec = parse_kernelspec("x", "/d/x", R"({"argv":["a","b"],"display_name":"Ex","language":"ex",
        "env":{"A":"1"},"interrupt_mode":"message","metadata":{"debugger":true},"kernel_protocol_version":"5.5"})");
    ASSERT_TRUE(spec);
    EXPECT_THAT(spec->argv, ElementsAre("a", "b"));
    EXPECT_THAT(spec->env, ElementsAre(Pair("A", "1")));
    EXPECT_EQ(spec->display_name, "Ex");
    EXPECT_EQ(spec->language, "ex");
    EXPECT_EQ(spec->interrupt_mode, "message");
    EXPECT_EQ(spec->metadata, R"({"debugger":true})");
    EXPECT_EQ(spec->protocol_version, "5.5");
    EXPECT_FALSE(spec->is_python());
}

TEST(kernelspec_file_test, what_a_spec_leaves_out_has_jupyters_defaults) {
    auto spec = parse_kernelspec("x", "/d/x", good);
    ASSERT_TRUE(spec);
    EXPECT_TRUE(spec->env.empty());
    EXPECT_EQ(spec->interrupt_mode, "signal");
    EXPECT_EQ(spec->metadata, "{}");
    EXPECT_EQ(spec->json, good);
}

TEST(kernelspec_file_test, a_bad_spec_is_refused_by_the_key_that_is_wrong) {
    const std::pair<const char*, const char*> table[] = {
        {"", "one JSON object"},
        {"[1]", "one JSON object"},
        {R"({"argv":)", "one JSON object"},
        {R"({"display_name":"X","language":"x"})", "argv"},
        {R"({"argv":[],"display_name":"X","language":"x"})", "argv"},
        {R"({"argv":"x","display_name":"X","language":"x"})", "argv"},
        {R"({"argv":["x",1],"display_name":"X","language":"x"})", "argv"},
        {R"({"argv":[""],"display_name":"X","language":"x"})", "argv"},
        {R"({"argv":["x"],"language":"x"})", "display_name"},
        {R"({"argv":["x"],"display_name":7,"language":"x"})", "display_name"},
        {R"({"argv":["x"],"display_name":"X"})", "language"},
        {R"({"argv":["x"],"display_name":"X","language":"x","env":[]})", "env"},
        {R"({"argv":["x"],"display_name":"X","language":"x","env":{"A":1}})", "env"},
        {R"({"argv":["x"],"display_name":"X","language":"x","metadata":"m"})", "metadata"},
        {R"({"argv":["x"],"display_name":"X","language":"x","interrupt_mode":"shout"})", "interrupt_mode"},
    };
    for (const auto& [json, named] : table) {
        auto spec = parse_kernelspec("x", "/d/x", json);
        ASSERT_FALSE(spec) << json;
        EXPECT_THAT(spec.error().message, HasSubstr(named)) << json;
    }
}

TEST_F(kernelspec_test, resources_are_listed_as_jupyter_server_lists_them) {
    auto directory = install("first", "x");
    for (const char* file : {"logo-64x64.png", "logo-svg.svg", "kernel.js", "kernel.css", "other.txt"})
        touch(directory, file);
    EXPECT_THAT(find_resources(directory),
                ElementsAre(Pair("kernel.css", "kernel.css"), Pair("kernel.js", "kernel.js"),
                            Pair("logo-64x64", "logo-64x64.png"), Pair("logo-svg", "logo-svg.svg")));
}

TEST_F(kernelspec_test, the_first_directory_that_has_a_name_wins) {
    auto wanted = install("first", "x");
    install("second", "x");
    install("second", "y");
    auto specs = store();
    EXPECT_EQ(specs.find("x")->directory, wanted);
    EXPECT_EQ(specs.list().size(), 2u);
}

TEST_F(kernelspec_test, names_compare_in_lower_case) {
    install("first", "Ex.1_a-B");
    auto specs = store();
    EXPECT_EQ(specs.find("EX.1_A-b")->name, "ex.1_a-b");
}

TEST_F(kernelspec_test, python_is_another_name_of_python3_unless_it_is_there_itself) {
    install("second", "python3");
    auto specs = store();
    EXPECT_EQ(specs.find("python")->name, "python3");
    install("first", "python");
    EXPECT_EQ(store().find("python")->name, "python");
}

TEST_F(kernelspec_test, our_kernel_is_python3_too_and_what_was_python3_is_ipykernel) {
    auto ours = install("first", "cellgate");
    auto usual = install("second", "python3");
    auto specs = store();
    EXPECT_EQ(names(specs), "cellgate ipykernel python3");
    for (const char* name : {"cellgate", "python3", "python"}) EXPECT_EQ(specs.find(name)->directory, ours) << name;
    EXPECT_EQ(specs.find("python")->name, "python3");
    EXPECT_EQ(specs.find("python3")->display_name, "Python 3");
    EXPECT_NE(specs.find("cellgate")->display_name, "Python 3");
    EXPECT_EQ(specs.find("ipykernel")->directory, usual);
    EXPECT_EQ(specs.find("ipykernel")->name, "ipykernel");
}

TEST_F(kernelspec_test, our_kernel_is_python3_also_where_there_was_none) {
    install("first", "cellgate");
    auto specs = store();
    EXPECT_EQ(names(specs), "cellgate python3");
}

TEST_F(kernelspec_test, python3_can_be_left_to_what_is_installed_as_it) {
    install("first", "cellgate");
    auto usual = install("second", "python3");
    kernelspec_store specs({root.path() + "/first", root.path() + "/second"}, python3_kernel::installed);
    EXPECT_EQ(names(specs), "cellgate python3");
    EXPECT_EQ(specs.find("python3")->directory, usual);
}

TEST_F(kernelspec_test, without_our_kernel_no_name_changes) {
    auto usual = install("second", "python3");
    auto specs = store();
    EXPECT_EQ(names(specs), "python3");
    EXPECT_EQ(specs.find("python3")->directory, usual);
}

TEST_F(kernelspec_test, a_spec_that_is_called_ipykernel_keeps_its_name) {
    install("first", "cellgate");
    install("first", "python3");
    auto kept = install("second", "ipykernel");
    auto specs = store();
    EXPECT_EQ(names(specs), "cellgate ipykernel python3");
    EXPECT_EQ(specs.find("ipykernel")->directory, kept);
}

TEST_F(kernelspec_test, our_kernel_takes_the_name_when_it_is_installed_while_we_look) {
    install("first", "python3");
    auto specs = store();
    EXPECT_EQ(names(specs), "python3");
    auto ours = install("second", "cellgate");
    EXPECT_EQ(specs.find("python3")->directory, ours);
}

TEST_F(kernelspec_test, python3_stands_in_for_our_kernel_where_that_is_not_installed) {
    install("first", "python3");
    auto specs = store();
    EXPECT_EQ(specs.default_name("cellgate"), "python3");
    EXPECT_EQ(specs.default_name("ir"), "ir");
    install("second", "cellgate");
    EXPECT_EQ(specs.default_name("cellgate"), "cellgate");
}

TEST_F(kernelspec_test, a_bad_spec_is_left_out_and_one_behind_it_takes_its_place) {
    install("first", "x", "{}");
    auto second = install("second", "x");
    install("second", "not a name");
    auto specs = store();
    EXPECT_EQ(specs.find("x")->directory, second);
    EXPECT_EQ(specs.list().size(), 1u);
}

TEST_F(kernelspec_test, an_unknown_name_is_answered_with_those_that_are_there) {
    install("first", "x");
    install("second", "y");
    auto specs = store();
    auto found = specs.find("z");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, errc::kernelspec_not_found);
    EXPECT_THAT(found.error().message, HasSubstr("x, y"));
}

TEST_F(kernelspec_test, a_spec_that_was_installed_or_removed_is_seen_by_the_next_look) {
    install("first", "x");
    auto specs = store();
    EXPECT_EQ(specs.list().size(), 1u);
    auto added = install("first", "y");
    EXPECT_EQ(specs.list().size(), 2u);
    std::filesystem::remove_all(added);
    EXPECT_EQ(specs.list().size(), 1u);
}

TEST_F(kernelspec_test, directories_that_are_not_there_are_no_trouble) {
    kernelspec_store specs({root.path() + "/none"});
    EXPECT_TRUE(specs.list().empty());
    EXPECT_THAT(specs.find("x").error().message, HasSubstr("kernels.kernelspec_dirs"));
}

TEST(kernelspec_directories_test, jupyter_path_comes_first_and_the_system_last) {
    ::setenv("JUPYTER_PATH", "/a::/b", 1);
    ::setenv("JUPYTER_DATA_DIR", "/data", 1);
    EXPECT_THAT(kernelspec_directories({"/env"}),
                ElementsAre("/a/kernels", "/b/kernels", "/data/kernels", "/env/share/jupyter/kernels",
                            "/usr/local/share/jupyter/kernels", "/usr/share/jupyter/kernels"));
    ::unsetenv("JUPYTER_PATH");
    ::unsetenv("JUPYTER_DATA_DIR");
}

}  // namespace
}  // namespace gateway::kernels
