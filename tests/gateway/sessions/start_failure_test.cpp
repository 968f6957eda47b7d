#include "gateway/sessions/start_failure.hpp"

#include <gmock/gmock.h>

#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(start_failure, is_an_error_of_the_cell_with_the_cause) {
    auto error = start_failure("the kernel ended with status 1:\nModuleNotFoundError: No module named 'comm'");
    EXPECT_EQ(error.ename, "DeadKernelError");
    EXPECT_EQ(error.evalue,
              "the kernel did not start: the kernel ended with status 1:\nModuleNotFoundError: No module named 'comm'");
    EXPECT_EQ(start_failure("").evalue, "the kernel did not start");
}

TEST(start_failure, keeps_the_end_of_a_long_cause_cut_between_characters) {
    for (const char* begin : {"", "x"}) {
        std::string cause = begin;
        while (cause.size() < 2 * most_cause_bytes) cause += "ä";
        auto told = start_failure(cause + "\nRuntimeError: why").evalue;
        EXPECT_LE(told.size(), most_cause_bytes + 50);
        EXPECT_TRUE(messaging::is_utf8(told));
        EXPECT_THAT(told, StartsWith("the kernel did not start: …ä"));
        EXPECT_THAT(told, EndsWith("\nRuntimeError: why"));
    }
}

TEST(start_failure, is_told_of_a_dead_session_too) {
    EXPECT_EQ(dead_session_message("ses_1", cell_reason::start_failed, "No module named 'comm'"),
              "the session ses_1 is dead (start_failed); restart it or make another; why it did not start: "
              "No module named 'comm'");
}

TEST(start_failure, is_not_told_of_a_session_that_died_of_something_else) {
    EXPECT_EQ(dead_session_message("ses_1", cell_reason::oom, "an older story"),
              "the session ses_1 is dead (oom); restart it or make another");
}

}  // namespace
}  // namespace gateway::sessions
