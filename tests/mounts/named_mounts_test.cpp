#include "mounts/named_mounts.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace mounts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class named_mounts : public testing::Test {
  protected:
    named_mounts() {
        fs::create_directories(base_ + "/data/deep");
        fs::create_directories(base_ + "/own/sessions");
        fs::create_symlink(base_ + "/data", base_ + "/link");
        std::ofstream(base_ + "/file") << "x";
    }
    named_mount mount(const std::string& name, const std::string& directory, const std::string& at = "") const {
        return {name, base_ + "/" + directory, at, false};
    }
    std::string refusal(const named_mount& of) const {
        auto made = to_bind_mounts({of}, {base_ + "/own"});
        return made ? "no refusal" : made.error().text;
    }

    test_support::temporary_directory directory_;
    std::string base_ = fs::canonical(directory_.path());
};

TEST_F(named_mounts, are_below_mnt_and_read_only_unless_it_is_said) {
    auto writable = mount("out", "data/deep", "/srv/out");
    writable.writable = true;
    const auto made = to_bind_mounts({mount("data", "data"), writable}, {}).value();
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0], (::kernel::bind_mount{base_ + "/data", "/mnt/data", false}));
    EXPECT_EQ(made[1], (::kernel::bind_mount{base_ + "/data/deep", "/srv/out", true}));
}

TEST_F(named_mounts, are_what_a_link_leads_to_now) {
    EXPECT_EQ(to_bind_mounts({mount("data", "link")}, {}).value()[0].source, base_ + "/data");
}

TEST_F(named_mounts, must_be_there) {
    EXPECT_THAT(refusal(mount("data", "missing")), HasSubstr("mounts.data: "));
    EXPECT_THAT(refusal(mount("data", "missing")), HasSubstr("No such file"));
    EXPECT_THAT(refusal(mount("data", "file")), HasSubstr("not a directory"));
}

TEST_F(named_mounts, show_nothing_of_the_gateways_own) {
    for (const char* each : {"own", "own/sessions", "", "link/../own"})
        EXPECT_THAT(refusal(mount("data", each)), HasSubstr("the gateway's own")) << each;
}

TEST_F(named_mounts, keep_off_the_places_of_every_box) {
    for (const char* each : {"/", "/mnt", "/mnt/files", "/mnt/files/ref", "/home", "/home/user/x", "/opt",
                             "/usr/share/x", "/etc", "/proc/x", "/tmp/x", "/run/x", "/var/run", "/var/lock/x"})
        EXPECT_NE(refusal(mount("data", "data", each)), "no refusal") << each;
    for (const char* each : {"relative", "/mnt/a/../files", "/mnt/data/", "/mnt//data", "/mnt/./data"})
        EXPECT_THAT(refusal(mount("data", "data", each)), HasSubstr("is not a path")) << each;
    for (const char* each : {"/mnt/files2", "/data", "/opt/science", "/home/ana"})
        EXPECT_EQ(refusal(mount("data", "data", each)), "no refusal") << each;
}

TEST_F(named_mounts, keep_off_what_kernels_are_made_of) {
    for (const char* each : {"/srv/venv", "/srv", "/srv/venv/lib"}) {
        auto made = to_bind_mounts({mount("data", "data", each)}, {}, {"/srv/venv"});
        ASSERT_FALSE(made) << each;
        EXPECT_THAT(made.error().text, HasSubstr("/srv/venv are in each other's way"));
    }
    EXPECT_TRUE(to_bind_mounts({mount("data", "data", "/srv/data")}, {}, {"/srv/venv"}));
}

TEST_F(named_mounts, keep_off_each_other) {
    for (const char* each : {"/mnt/a", "/mnt/a/b"}) {
        auto made = to_bind_mounts({mount("a", "data"), mount("b", "data/deep", each)}, {});
        ASSERT_FALSE(made);
        EXPECT_THAT(made.error().text, HasSubstr("in each other's way"));
    }
}

}  // namespace
}  // namespace mounts
