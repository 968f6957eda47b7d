#include "kernel/launcher/change_times.hpp"

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

TEST(change_times, differ_once_a_package_was_installed) {
    test_support::temporary_directory library;
    make_old(library.path());
    const std::vector<std::string> places = {library.path(), library.path() + "/missing"};
    auto before = change_times_of(places);
    EXPECT_EQ(change_times_of(places), before);
    fs::create_directory(library.path() + "/package");
    EXPECT_NE(change_times_of(places), before);
}

TEST(change_times, differ_once_a_file_was_replaced_or_appeared) {
    test_support::temporary_directory directory;
    auto program = directory.path() + "/program";
    auto missing = change_times_of({program});
    std::ofstream(program) << "1";
    make_old(program);
    auto old = change_times_of({program});
    EXPECT_NE(old, missing);
    std::ofstream(program) << "2";
    EXPECT_NE(change_times_of({program}), old);
}

}  // namespace
}  // namespace kernel
