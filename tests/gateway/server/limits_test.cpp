#include "gateway/server/limits.hpp"

#include <gmock/gmock.h>

#include "gateway/server/descriptors.hpp"

namespace gateway::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const kernel::limits_notice all{true, true, true, "", ""};
const kernel::limits_notice some{true, false, false, "memory: no such controller; pids: not delegated", ""};

config::config requiring(bool limits) {
    config::config made;
    made.kernels.require_limits = limits;
    return made;
}

TEST(limits, are_all_there_or_missing_by_name) {
    EXPECT_EQ(missing_limits(all), "");
    EXPECT_EQ(missing_limits(some), "memory, pids");
    EXPECT_EQ(missing_limits({}), "cpu, memory, pids");
}

TEST(limits, that_are_missing_stop_only_who_requires_them) {
    EXPECT_TRUE(check_limits(requiring(true), all));
    EXPECT_TRUE(check_limits(requiring(false), some));
    const auto refused = check_limits(requiring(true), some);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("cannot limit memory, pids of sandboxes (memory: no such"));
    EXPECT_THAT(refused.error().message, HasSubstr("kernels.require_limits"));
}

TEST(limits, of_the_disk_stop_only_who_requires_them) {
    EXPECT_TRUE(check_disk(requiring(true), ""));
    EXPECT_TRUE(check_disk(requiring(false), "no loop device"));
    const auto refused = check_disk(requiring(true), "no loop device");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("no limit: no loop device"));
    EXPECT_THAT(refused.error().message, HasSubstr("kernels.require_limits"));
}

TEST(limits, that_no_launcher_told_of_are_a_failure) {
    EXPECT_EQ(check_limits(requiring(false), failure{errc::kernel_start_failed, "silent"}).error().message, "silent");
}

TEST(limits, of_landlock_stop_only_who_requires_them) {
    EXPECT_TRUE(check_landlock(requiring(true), ""));
    EXPECT_TRUE(check_landlock(requiring(false), "not in this Linux"));
    EXPECT_THAT(check_landlock(requiring(true), "not in this Linux").error().message,
                AllOf(HasSubstr("no Landlock (not in this Linux)"), HasSubstr("kernels.require_limits")));
    auto open = requiring(true);
    open.kernels.isolation = "none";
    EXPECT_TRUE(check_landlock(open, "boxes are not confined"));
}

TEST(limits, of_descriptors_leave_half_to_kernels_and_files) {
    EXPECT_EQ(fit_connections(10'000, 20'000), 10'000);
    EXPECT_EQ(fit_connections(10'000, 4'096), 2'048);
    EXPECT_EQ(fit_connections(10, ~std::uint64_t(0)), 10);
    EXPECT_EQ(fit_connections(10, 0), 1);
}

}  // namespace
}  // namespace gateway::server
