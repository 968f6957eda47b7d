#include "gateway/server/directories.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace gateway::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class the_directories : public testing::Test {
  protected:
    std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
    result<directories> claim(const std::string& data = "data", const std::string& runtime = "run") const {
        return directories::claim(path(data), path(runtime));
    }
    static std::string put_file(const directories& of) {
        auto made = of.runtime() + "/kernel.sock";
        std::ofstream(made) << "x";
        return made;
    }

    test_support::temporary_directory directory_;
};

TEST_F(the_directories, a_second_gateway_is_refused_and_leaves_those_of_the_first) {
    auto first = claim();
    ASSERT_TRUE(first);
    auto kept = put_file(*first);
    auto second = claim();
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("another gateway uses " + path("data")));
    EXPECT_TRUE(fs::exists(kept));
}

TEST_F(the_directories, a_second_gateway_is_refused_by_any_name_of_the_data_directory) {
    auto first = claim();
    ASSERT_TRUE(first);
    auto kept = put_file(*first);
    fs::create_directory_symlink(path("data"), path("other"));
    EXPECT_FALSE(claim("other/"));
    EXPECT_FALSE(claim("data/../data"));
    EXPECT_TRUE(fs::exists(kept));
}

TEST_F(the_directories, two_data_directories_share_a_runtime_directory_in_peace) {
    auto first = claim("data");
    ASSERT_TRUE(first);
    auto kept = put_file(*first);
    {
        auto second = claim("data2");
        ASSERT_TRUE(second);
        EXPECT_NE(second->runtime(), first->runtime());
        put_file(*second);
    }
    EXPECT_TRUE(fs::exists(kept));
}

// Two data directories whose eight digits are the same, or a claim that fails half-way.
TEST_F(the_directories, a_runtime_directory_that_another_gateway_holds_is_refused_and_left) {
    auto first = claim();
    ASSERT_TRUE(first);
    auto kept = put_file(*first);
    fs::remove(path("data/gateway.lock"));  // the next claim locks a new file, and meets the runtime directory's lock
    auto second = claim();
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("storage.runtime_dir"));
    EXPECT_TRUE(fs::exists(kept));
}

TEST_F(the_directories, what_a_killed_gateway_left_is_cleared) {
    if (auto child = ::fork(); child == 0) {
        auto owned = claim();
        if (owned) put_file(*owned);
        ::_exit(owned ? 0 : 1);  // no destructor runs, as at a SIGKILL
    } else {
        int status = 1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    auto again = claim();
    ASSERT_TRUE(again);
    EXPECT_EQ(std::distance(fs::directory_iterator(again->runtime()), {}), 1) << "but for its own";
    EXPECT_TRUE(fs::is_empty(again->empty()));
}

TEST_F(the_directories, its_own_runtime_directory_goes_with_it_and_can_be_claimed_again) {
    std::string runtime;
    {
        auto first = claim();
        ASSERT_TRUE(first);
        put_file(*first);
        runtime = first->runtime();
    }
    EXPECT_FALSE(fs::exists(runtime));
    EXPECT_TRUE(claim());
}

TEST_F(the_directories, a_lock_that_cannot_be_opened_is_not_called_another_gateway) {
    fs::create_directories(path("data/gateway.lock"));
    auto made = claim();
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("cannot lock " + path("data")));
}

}  // namespace
}  // namespace gateway::server
