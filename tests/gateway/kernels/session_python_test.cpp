#include "gateway/kernels/session_python.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

struct the_python_of_a_kernel : testing::Test {
    test_support::temporary_directory root;

    std::string program(const std::string& path) const {
        auto full = root.path() + path;
        fs::create_directories(fs::path(full).parent_path());
        std::ofstream(full) << "#!/bin/sh\n";
        fs::permissions(full, fs::perms::owner_all);
        return full;
    }
    kernelspec spec(std::vector<std::string> argv) const {
        kernelspec made;
        made.language = "python";
        made.directory = root.path() + "/own/share/jupyter/kernels/x";
        made.argv = std::move(argv);
        return made;
    }
};

TEST_F(the_python_of_a_kernel, is_of_the_environment_that_the_spec_names) {
    auto python = program("/venv/bin/python3");
    auto of_argv = program("/opt/bin/python3");
    auto named = spec({of_argv});
    named.hints.prefix = root.path() + "/venv";
    EXPECT_EQ(python_of(named), python);
}

TEST_F(the_python_of_a_kernel, is_the_program_that_it_starts) {
    auto python = program("/venv/bin/python3.11");
    EXPECT_EQ(python_of(spec({python, "-m", "ipykernel_launcher"})), python);
}

TEST_F(the_python_of_a_kernel, is_beside_a_program_of_its_own) {
    auto kernel = program("/venv/bin/xpython");
    auto python = program("/venv/bin/python3");
    EXPECT_EQ(python_of(spec({kernel})), python);
}

TEST_F(the_python_of_a_kernel, is_where_the_spec_was_installed) {
    auto python = program("/own/bin/python3");
    EXPECT_EQ(python_of(spec({"python", "-m", "ipykernel_launcher"})), python);
}

TEST_F(the_python_of_a_kernel, is_none_for_another_language_or_where_there_is_none) {
    EXPECT_EQ(python_of(spec({root.path() + "/no/python3"})), "");
    auto other = spec({program("/own/bin/python3")});
    other.language = "bash";
    EXPECT_EQ(python_of(other), "");
}

}  // namespace
}  // namespace gateway::kernels
