#include "gateway/kernels/environment_stamp.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

class environment_stamp_test : public testing::Test {
  protected:
    environment_stamp_test() {
        fs::create_directories(packages);
        std::ofstream(program) << "one";
        spec.argv = {program, "-f", "{connection_file}"};
        spec.hints.prefix = root.path() + "/venv";
    }
    void age(const std::string& path) { fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1)); }
    environment_stamp now() const { return environment_stamp(spec); }

    test_support::temporary_directory root;
    std::string packages = root.path() + "/venv/lib/python3.11/site-packages";
    std::string program = root.path() + "/cellgate-kernel";
    kernelspec spec;
};

TEST_F(environment_stamp_test, nothing_changed_while_nobody_did_anything) { EXPECT_EQ(now(), now()); }

TEST_F(environment_stamp_test, a_package_that_comes_or_goes_changes_it) {
    auto before = now();
    age(packages);
    EXPECT_NE(now(), before);
}

TEST_F(environment_stamp_test, another_program_changes_it) {
    auto before = now();
    age(program);
    EXPECT_NE(now(), before);
    fs::remove(program);
    EXPECT_NE(now(), before);
}

TEST_F(environment_stamp_test, an_environment_that_was_made_meanwhile_changes_it) {
    fs::remove_all(root.path() + "/venv");
    auto before = now();
    fs::create_directories(packages);
    EXPECT_NE(now(), before);
}

TEST_F(environment_stamp_test, kernels_that_import_by_themselves_are_never_out_of_date) {
    spec.hints = {};
    auto before = now();
    age(program);
    age(packages);
    EXPECT_EQ(now(), before);
}

}  // namespace
}  // namespace gateway::kernels
