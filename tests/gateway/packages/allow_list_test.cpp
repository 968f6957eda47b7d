#include "gateway/packages/allow_list.hpp"

#include <gtest/gtest.h>

namespace gateway::packages {
namespace {

constexpr const char* table = "# a comment\n\nscikit-learn sklearn\nPyYAML yaml\nseaborn\n";

TEST(the_allow_list, has_the_well_known_distributions_by_their_own_names) {
    allow_list list({well_known}, table);
    EXPECT_TRUE(list.allows("scikit-learn"));
    EXPECT_TRUE(list.allows("pyyaml"));
    EXPECT_TRUE(list.allows("seaborn"));
    for (const auto* each : {"sklearn", "yaml", "requets", "a", "comment", "#"})
        EXPECT_FALSE(list.allows(each)) << each;
}

TEST(the_allow_list, may_add_names_to_the_known_ones_or_have_them_alone) {
    EXPECT_TRUE(allow_list({well_known, "Our.Package"}, table).allows("our-package"));
    EXPECT_TRUE(allow_list({well_known, "Our.Package"}, table).allows("seaborn"));
    EXPECT_FALSE(allow_list({"our-package"}, table).allows("seaborn"));
}

TEST(the_allow_list, may_have_everything_or_nothing) {
    EXPECT_TRUE(allow_list({everything}, table).allows("requets"));
    EXPECT_FALSE(allow_list({}, table).allows("seaborn"));
}

}  // namespace
}  // namespace gateway::packages
