#include "kernel/launcher/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernel/sandbox/box_error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace kernel {
namespace {

class the_output_file : public testing::Test {
  protected:
    void print(const output_file& file, const std::string& text) {
        ASSERT_EQ(write(file.writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string content() const {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    test_support::temporary_directory directory;
    std::string path = directory.path() + "/output.log";
};

TEST_F(the_output_file, is_for_its_owner_only) {
    output_file file(path);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(the_output_file, grows_over_restarts) {
    print(output_file(path), "one\n");
    print(output_file(path), "two\n");
    EXPECT_EQ(content(), "one\ntwo\n");
}

TEST_F(the_output_file, stays_whole_up_to_its_limit) {
    output_file file(path);
    print(file, std::string(output_file::size_limit, 'x'));
    file.trim();
    EXPECT_EQ(content().size(), static_cast<std::size_t>(output_file::size_limit));
}

TEST_F(the_output_file, keeps_its_end_past_the_limit_and_goes_on) {
    output_file file(path);
    print(file, std::string(output_file::size_limit, 'x') + "last words\n");
    file.trim();
    print(file, "more\n");
    EXPECT_THAT(content(), testing::StartsWith("[524299 bytes of older output were dropped]\nxxx"));
    EXPECT_THAT(content(), testing::EndsWith("xlast words\nmore\n"));
    EXPECT_LT(content().size(), static_cast<std::size_t>(output_file::kept_size) + 100);
}

TEST_F(the_output_file, does_not_follow_a_symbolic_link) {
    std::filesystem::create_symlink(directory.path() + "/elsewhere", path);
    EXPECT_THROW(output_file{path}, box_error);
    EXPECT_FALSE(std::filesystem::exists(directory.path() + "/elsewhere"));
}

TEST_F(the_output_file, may_be_in_memory_and_tells_its_last_lines) {
    output_file file = output_file::in_memory();
    print(file, "first\nsecond\nthird\n");
    EXPECT_EQ(file.last_lines(100), "first\nsecond\nthird\n");
    EXPECT_EQ(file.last_lines(15), "second\nthird\n");
    EXPECT_EQ(file.last_lines(3), "rd\n");
    print(file, std::string(output_file::size_limit, 'x') + "\nlast words\n");
    file.trim();
    print(file, "more\n");
    EXPECT_EQ(file.last_lines(100), "last words\nmore\n");
}

TEST_F(the_output_file, may_be_nowhere) {
    output_file file("");
    print(file, "into the void");
    file.trim();
}

}  // namespace
}  // namespace kernel
