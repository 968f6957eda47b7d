#include "gateway/files/link_signer.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace gateway::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class link_signer_test : public testing::Test {
  protected:
    link_signer opened() { return link_signer::open(directory_.path()).value(); }
    std::string key() const { return directory_.path() + "/link.key"; }
    static mode_t mode(const std::string& path) {
        struct stat status {};
        return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }

    test_support::temporary_directory directory_;
    const link some_{"GET", "ses_1", "a\nb", std::chrono::system_clock::from_time_t(1'900'000'000)};
};

TEST_F(link_signer_test, signs_the_same_after_a_restart) {
    const auto query = opened().query_of(some_);
    EXPECT_EQ(opened().query_of(some_), query);
    EXPECT_NE(link_signer::make().query_of(some_), query);
}

TEST_F(link_signer_test, keeps_its_key_to_itself) {
    auto before = umask(0);
    opened();
    umask(before);
    EXPECT_EQ(mode(key()), 0600U);
    fs::permissions(key(), fs::perms::all);
    EXPECT_THAT(link_signer::open(directory_.path()).error().message, HasSubstr("chmod 600"));
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 1);
}

TEST_F(link_signer_test, refuses_a_key_that_is_none) {
    std::ofstream(key()) << "short";
    fs::permissions(key(), fs::perms(0600));
    auto refused = link_signer::open(directory_.path());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("link.key"));
    EXPECT_THAT(refused.error().message, HasSubstr("remove it"));
    fs::remove(key());
    fs::create_symlink("/dev/zero", key());
    EXPECT_FALSE(link_signer::open(directory_.path()));
}

TEST_F(link_signer_test, tells_parts_apart) {
    const auto signer = link_signer::make();
    std::set<std::string> all;
    all.insert(signer.query_of(some_));
    for (const link& each :
         {link{"PUT", "ses_1", "a\nb", some_.expires}, link{"GET", "ses_2", "a\nb", some_.expires},
          link{"GET", "ses_1", "a", some_.expires}, link{"GET", "ses_1\n1900000000\na", "b", some_.expires}})
        all.insert(signer.query_of(each));
    EXPECT_EQ(all.size(), 5U);
}

}  // namespace
}  // namespace gateway::files
