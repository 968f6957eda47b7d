#include "gateway/kernels/machine_check.hpp"

#include <gmock/gmock.h>

#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

TEST(a_machine_check, tries_a_box_with_the_gateways_directories) {
    test_support::temporary_directory directory;
    auto found = check_machine(CELLGATE_LAUNCHER, {}, {directory.path()}).value();
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].subject, "boundary");
    EXPECT_EQ(found[0].state, finding_state::present) << found[0].text;
    EXPECT_THAT(found[0].text, HasSubstr("no capabilities"));
    EXPECT_EQ(found[1].subject, "limits");
    EXPECT_EQ(found[2].subject, "Landlock");
    EXPECT_THAT(found[2].text, AnyOf(HasSubstr("a second wall"), HasSubstr("read-only mounts alone")));
}

TEST(a_machine_check, says_why_a_box_cannot_be_made) {
    auto found = check_machine(CELLGATE_LAUNCHER, {}, {"/no/such/directory"}).value();
    EXPECT_EQ(found[0].state, finding_state::missing);
    EXPECT_THAT(found[0].text, HasSubstr("mount /no/such/directory: No such file or directory"));
}

TEST(a_machine_check, calls_boxes_that_are_not_confined_no_boundary) {
    box_settings open;
    open.confined = false;
    auto found = check_machine(CELLGATE_LAUNCHER, open, {}).value();
    EXPECT_EQ(found[0].state, finding_state::missing);
    EXPECT_THAT(found[0].text, HasSubstr("kernels.isolation"));
}

TEST(a_machine_check, fails_where_there_is_no_launcher) {
    EXPECT_THAT(check_machine("/no/cellgate-launcher", {}, {}).error().message, HasSubstr("/no/cellgate-launcher"));
    EXPECT_THAT(check_machine("/bin/false", {}, {}).error().message, HasSubstr("did not say"));
}

}  // namespace
}  // namespace gateway::kernels
