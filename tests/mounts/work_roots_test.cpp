#include "mounts/work_roots.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace mounts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class a_work_root : public testing::Test {
  protected:
    a_work_root() {
        fs::create_directories(path("root/notebooks/deep"));
        fs::create_directories(path("other/reports"));
        fs::create_directories(path("outside"));
        std::ofstream(path("root/notebooks/a.ipynb")) << "{}";
    }
    std::string path(const std::string& name) const { return base_ + "/" + name; }
    std::optional<work_place> find(const std::string& wanted, std::vector<std::string> names = {"root"}) const {
        for (std::string& each : names) each = path(each);
        return work_roots::make(names).value().find(wanted);
    }
    std::optional<work_place> place(const std::string& directory, const std::string& root = "root") const {
        return work_place{path(directory), {path(root), path(root), true}};
    }
    test_support::temporary_directory directory_;
    std::string base_ = fs::canonical(directory_.path());
};

TEST_F(a_work_root, contains_the_absolute_directories_at_and_below_it) {
    EXPECT_EQ(find(path("root")), place("root"));
    EXPECT_EQ(find(path("root/")), place("root"));
    EXPECT_EQ(find(path("root/notebooks/deep")), place("root/notebooks/deep"));
    EXPECT_EQ(find(path("root/notebooks/../notebooks")), place("root/notebooks"));
}

TEST_F(a_work_root, contains_nothing_outside_of_it) {
    for (const std::string& each : {path("outside"), path("root2"), path(""), path("root/../outside"), std::string("/"),
                                    std::string("/etc"), std::string("/no/such"), std::string()})
        EXPECT_EQ(find(each), std::nullopt) << each;
}

TEST_F(a_work_root, gives_the_nearest_existing_directory_of_a_path) {
    EXPECT_EQ(find("notebooks/a.ipynb"), place("root/notebooks"));
    EXPECT_EQ(find("notebooks/new/b.ipynb"), place("root/notebooks"));
    EXPECT_EQ(find("b.ipynb"), place("root"));
    EXPECT_EQ(find(path("root/notebooks/no/such")), place("root/notebooks"));
}

TEST_F(a_work_root, cannot_be_left_by_dots) {
    for (const char* each : {"..", "../outside", "notebooks/../../outside", "no/../../outside", "../root2"})
        EXPECT_EQ(find(each), std::nullopt) << each;
}

TEST_F(a_work_root, cannot_be_left_by_a_symbolic_link) {
    fs::create_directory_symlink(path("outside"), path("root/link"));
    EXPECT_EQ(find("link"), std::nullopt);
    EXPECT_EQ(find("link/x.ipynb"), std::nullopt);
    EXPECT_EQ(find(path("root/link")), std::nullopt);
}

TEST_F(a_work_root, is_found_through_a_symbolic_link_to_it) {
    fs::create_directory_symlink(path("root"), path("link"));
    EXPECT_EQ(find(path("link/notebooks")), place("root/notebooks"));
    EXPECT_EQ(find("notebooks", {"link"}), place("root/notebooks"));
    fs::create_directory_symlink("notebooks", path("root/same"));
    EXPECT_EQ(find("same"), place("root/notebooks"));
}

TEST_F(a_work_root, is_the_one_that_has_most_of_the_path) {
    EXPECT_EQ(find("reports/x.ipynb", {"root", "other"}), place("other/reports", "other"));
    EXPECT_EQ(find("x.ipynb", {"other", "root"}), place("other", "other"));
    EXPECT_EQ(find(path("root/notebooks/deep"), {"root", "root/notebooks"}),
              place("root/notebooks/deep", "root/notebooks"));
}

TEST_F(a_work_root, must_exist_and_leave_the_box_as_it_is) {
    auto error = [](const std::string& root) { return work_roots::make({root}).error().text; };
    EXPECT_THAT(error(path("missing")), HasSubstr("No such file"));
    EXPECT_THAT(error(path("root/notebooks/a.ipynb")), HasSubstr("is not a directory"));
    EXPECT_THAT(error("relative"), HasSubstr("is not an absolute path"));
    EXPECT_THAT(error("/"), HasSubstr("would hide the box's own /home/user"));
    EXPECT_THAT(error("/home"), HasSubstr("would hide the box's own /home/user"));
    EXPECT_THAT(error("/usr"), HasSubstr("would hide"));
    EXPECT_THAT(error("/proc/1"), HasSubstr("is the system's"));
}

TEST_F(a_work_root, is_none_when_none_is_configured) {
    EXPECT_TRUE(work_roots().empty());
    EXPECT_EQ(work_roots().find("/tmp"), std::nullopt);
}

}  // namespace
}  // namespace mounts
