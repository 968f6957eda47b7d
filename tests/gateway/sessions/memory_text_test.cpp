#include "gateway/sessions/memory_text.hpp"

#include <gmock/gmock.h>

namespace gateway::sessions {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(memory_text, names_the_size_its_setting_and_the_call_that_gives_more) {
    const auto all = usual_sandbox_sizes();
    const auto text = memory_text(all, all.named[1], "ses_1");
    EXPECT_THAT(text, HasSubstr("(2048 MiB, sizes.medium.memory_bytes)"));
    EXPECT_THAT(text, HasSubstr(R"(PATCH /api/v1/sessions/ses_1 {"sandbox":{"sandbox_size":"large"}})"));
    EXPECT_THAT(text, HasSubstr("files are kept"));
}

TEST(memory_text, of_the_largest_size_names_only_the_setting) {
    const auto all = usual_sandbox_sizes();
    EXPECT_THAT(memory_text(all, all.named.back(), "ses_1"), Not(HasSubstr("PATCH")));
    EXPECT_THAT(memory_text(all, all.named.back(), "ses_1"), HasSubstr("sizes.xlarge.memory_bytes"));
}

TEST(memory_text, of_a_jupyter_clients_kernel_names_its_own_setting) {
    auto all = usual_sandbox_sizes();
    all.jupyter.memory_bytes = 512 << 20;
    EXPECT_THAT(memory_text(all, all.of("", true), "ses_1"), HasSubstr("(512 MiB, sizes.jupyter.memory_bytes)"));
    EXPECT_THAT(memory_text(all, all.of("", true), "ses_1"), HasSubstr(R"("sandbox_size":"standard")"));
}

}  // namespace
}  // namespace gateway::sessions
