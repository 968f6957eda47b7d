#include "gateway/sessions/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/sessions/proxy_execution.hpp"
#include "gateway/sessions/session_change.hpp"

namespace {

using namespace gateway;
using namespace gateway::sessions;
using ::testing::HasSubstr;

TEST(Sandbox, IsTheUsualOneWhereNothingIsSaid) {
    for (const auto* object : {"", "{}", R"({"enable":null,"sandbox_size":null,"other":{}})"})
        EXPECT_EQ(read_sandbox(object).value(), sandbox_settings{}) << object;
}

TEST(Sandbox, HasTheSizeThatItNames) {
    for (const auto& each : usual_sizes())
        EXPECT_EQ(read_sandbox("{\"sandbox_size\":\"" + each.name + "\"}")->size, each.name);
    EXPECT_FALSE(read_sandbox(R"({"enable":false})")->enable);
}

TEST(Sandbox, HasTheSizeOfItsOriginWhereItNamesNone) {
    const auto all = usual_sandbox_sizes();
    EXPECT_EQ(all.of("", false).name, "standard");
    EXPECT_EQ(all.of("", true).name, jupyter_size);
    EXPECT_EQ(all.of("large", true).name, "large");
    EXPECT_EQ(to_box_limits(all.of("", true)), (::kernel::box_limits{0, 0, 1'024}));
    EXPECT_EQ(to_box_limits(all.of("medium", false)), (::kernel::box_limits{2'000, 2ll << 30, 512}));
}

TEST(Sandbox, RefusesWhatItCannotBe) {
    EXPECT_THAT(read_sandbox(R"({"sandbox_size":"giant"})").error().message,
                HasSubstr("standard, medium, large, xlarge"));
    EXPECT_THAT(read_sandbox(R"({"sandbox_size":1})").error().message, HasSubstr("sandbox_size"));
    EXPECT_THAT(read_sandbox(R"({"enable":"no"})").error().message, HasSubstr("enable must be true or false"));
    EXPECT_THAT(read_sandbox(R"({"enable_proxy_execution":"false"})").error().message,
                HasSubstr("enable_proxy_execution must be true or false"));
}

TEST(Sandbox, IsReadAsFarAsItIsRightWhereItWasKept) {
    const auto kept = known_sandbox(R"({"enable":false,"sandbox_size":"large","enable_proxy_execution":"false"})");
    EXPECT_FALSE(kept.enable);
    EXPECT_EQ(kept.size, "large");
}

TEST(Sandbox, PermitsProxyExecutionWhereItSaysSo) {
    EXPECT_EQ(proxy_execution_of("{}"), std::nullopt);
    EXPECT_EQ(proxy_execution_of(R"({"enable_proxy_execution":null})"), std::nullopt);
    EXPECT_EQ(proxy_execution_of(R"({"enable_proxy_execution":true})"), true);
    EXPECT_EQ(proxy_execution_of(R"({"enable_proxy_execution":false})"), false);
    EXPECT_EQ(proxy_execution_of(R"({"enable_proxy_execution":"false"})"), false);
    EXPECT_EQ(proxy_execution_of(R"({"enable_proxy_execution":1})"), false);
}

TEST(Sandbox, ChangesByKeys) {
    EXPECT_EQ(change_sandbox(R"({"a":1,"b":2})", R"({"b":3,"c":null,"a":null})"), R"({"b":3})");
    EXPECT_EQ(change_sandbox("{}", "{}"), "{}");
}

TEST(SessionChange, ThatWouldGiveAnImpossibleSandboxIsRefused) {
    session_change change;
    change.sandbox = R"({"sandbox_size":"giant"})";
    EXPECT_EQ(changed({}, change, "ses_1").error().code, errc::invalid_request);
    change.sandbox.clear();
    change.forget_sandbox = true;
    session_options before;
    before.sandbox = R"({"sandbox_size":"large"})";
    EXPECT_EQ(changed(before, change, "ses_1")->sandbox, "{}");
}

TEST(SessionChange, OfSomethingElseLeavesASandboxAlone) {
    session_change change;
    change.name = "other";
    session_options before;
    before.sandbox = R"({"enable_proxy_execution":"false"})";
    EXPECT_EQ(changed(before, change, "ses_1")->sandbox, before.sandbox);
}

}  // namespace
