#include "kernel/interpreter/environment_stamp.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace kernel {
namespace {

namespace fs = std::filesystem;

// A change within the clock's tick of the file system would look like none.
void make_old(const std::string& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(environment_stamp, sees_that_a_package_was_installed) {
    test_support::temporary_directory library;
    make_old(library.path());
    environment_stamp stamp({library.path(), library.path() + "/missing"});
    EXPECT_FALSE(stamp.has_changed());
    fs::create_directory(library.path() + "/package");
    EXPECT_TRUE(stamp.has_changed());
}

TEST(environment_stamp, sees_that_a_file_was_replaced_or_appeared) {
    test_support::temporary_directory directory;
    auto program = directory.path() + "/program";
    environment_stamp before({program});
    std::ofstream(program) << "1";
    EXPECT_TRUE(before.has_changed());
    make_old(program);
    environment_stamp after({program});
    std::ofstream(program) << "2";
    EXPECT_TRUE(after.has_changed());
}

TEST(environment_stamp, of_nothing_never_changes) { EXPECT_FALSE(environment_stamp().has_changed()); }

}  // namespace
}  // namespace kernel
