#include "gateway/packages/requirement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::packages {
namespace {

using testing::HasSubstr;

TEST(a_distributions_name, has_one_spelling) {
    for (const auto* each : {"Ruamel.Yaml", "ruamel-yaml", "ruamel_yaml", "ruamel-_.yaml"})
        EXPECT_EQ(normalized(each), "ruamel-yaml");
}

TEST(a_requirement, is_a_name_with_versions_extras_and_a_condition) {
    EXPECT_EQ(name_in("humanize").value(), "humanize");
    EXPECT_EQ(name_in("PyYAML==6.0").value(), "pyyaml");
    EXPECT_EQ(name_in("pandas>=2,<3").value(), "pandas");
    EXPECT_EQ(name_in("dask[array, dataframe] ~= 2024.1").value(), "dask");
    EXPECT_EQ(name_in("torch==2.1+cpu").value(), "torch");
    EXPECT_EQ(name_in("tomli; python_version < \"3.11\"").value(), "tomli");
}

// Each would make pip read a file, ask another place, or take an option.
TEST(a_requirement, is_never_a_place_or_an_option) {
    for (const auto* each : {"",
                             " humanize",
                             "-e",
                             "--pre",
                             ".",
                             "./humanize",
                             "/etc/passwd",
                             "humanize @ http://x",
                             "git+https://x/y",
                             "http://x/y.whl",
                             "humanize.whl",
                             "humanize-1.0.tar.gz",
                             "x.zip",
                             "a\nb",
                             "humanize\\x",
                             "humanize#egg=x",
                             "humanize:latest",
                             "huma/nize",
                             "\xc3\xa9t\xc3\xa9",
                             "_private",
                             "name-",
                             "humanize --pre",
                             "humanize==1 --global-option=x"}) {
        auto refused = name_in(each);
        ASSERT_FALSE(refused) << each;
        EXPECT_EQ(refused.error().code, errc::invalid_request);
    }
    EXPECT_FALSE(name_in(std::string(501, 'a')));
}

TEST(a_requirement, is_shown_in_its_refusal_without_control_characters) {
    EXPECT_THAT(name_in("\x1b[31m").error().message, HasSubstr("\"?[31m\""));
    EXPECT_THAT(name_in("humanize @ http://x").error().message, HasSubstr("addresses and files are not installed"));
}

}  // namespace
}  // namespace gateway::packages
