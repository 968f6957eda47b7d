#include "gateway/kernels/hidden_places.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;
using ::kernel::bind_mount;
using testing::ElementsAre;
using testing::IsEmpty;

class hidden_places : public testing::Test {
  protected:
    hidden_places() {
        fs::create_directories(path("home/.local/share/cellgate/sessions/a/files"));
        fs::create_directories(path("home/.local/bin"));
        fs::create_directory_symlink(path("home"), path("link"));
    }
    std::string path(const std::string& name) const { return directory_.path() + "/" + name; }

    test_support::temporary_directory directory_;
};

TEST_F(hidden_places, are_covered_in_what_holds_them) {
    EXPECT_THAT(cover_hidden({{path("home/.local"), path("home/.local"), false}, {path("home"), "/mnt/home", true}},
                             {path("home/.local/share/cellgate")}, "/empty"),
                ElementsAre(bind_mount{"/empty", path("home/.local/share/cellgate"), false},
                            bind_mount{"/empty", "/mnt/home/.local/share/cellgate", false}));
}

TEST_F(hidden_places, are_found_behind_links) {
    EXPECT_THAT(cover_hidden({{path("link"), "/data", false}}, {path("link/.local/share/cellgate")}, "/empty"),
                ElementsAre(bind_mount{"/empty", "/data/.local/share/cellgate", false}));
}

TEST_F(hidden_places, leave_a_sessions_own_directories_and_neighbours_alone) {
    EXPECT_THAT(cover_hidden({{path("home/.local/share/cellgate/sessions/a/files"), "/mnt/files", true},
                              {path("home/.local/bin"), path("home/.local/bin"), false},
                              {path("home/.local/share/cell"), "/x", false}},
                             {path("home/.local/share/cellgate"), path("not/there")}, "/empty"),
                IsEmpty());
}

TEST_F(hidden_places, may_be_files) {
    std::ofstream(path("home/cellgate.toml")) << "x";
    EXPECT_THAT(cover_hidden({{path("home"), "/mnt/home", false}}, {path("home/cellgate.toml")}, "/empty"),
                ElementsAre(bind_mount{"/dev/null", "/mnt/home/cellgate.toml", false}));
}

TEST_F(hidden_places, programs_are_out_of_reach_of_sessions) {
    fs::create_directories(path("home/venv/bin"));
    fs::create_directory_symlink(path("home/venv"), path("inward"));
    fs::create_directory_symlink("/etc", path("home/outward"));
    const std::vector<std::string> writable = {path("home")};
    for (const char* each : {"home", "home/venv", "link/venv", "inward", "home/outward"})
        EXPECT_THAT(check_out_of_reach({{path(each), "/x", false}}, writable).error().message,
                    testing::HasSubstr("where every session may write"))
            << each;
    EXPECT_FALSE(check_out_of_reach({{path("home/venv"), "/x", true}}, writable)) << "a writable one in another";
    EXPECT_TRUE(
        check_out_of_reach({{path("home"), "/x", true}, {path("link"), "/y", true}, {"/etc", "/x", false}}, writable));
    EXPECT_TRUE(check_out_of_reach({{path("home/venv"), "/x", false}}, {}));
}

}  // namespace
}  // namespace gateway::kernels
