// Every order of events and every timeout of a command, as plain calls.
#include "gateway/sessions/command_fsm.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace gateway::sessions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using action = command_fsm::action;
using time_point = command_fsm::time_point;

constexpr int exit_3 = 3 << 8;  // as of waitpid
constexpr auto out = command_stream::out;
constexpr auto err = command_stream::err;

action sent(int number, bool sweep) { return command_signal{number, sweep}; }

command_outcome outcome(cell_status status, std::optional<int> exit_code, std::optional<int> signal = std::nullopt) {
    command_outcome what;
    what.status = status;
    what.exit_code = exit_code;
    what.signal = signal;
    if (status == cell_status::timeout) what.reason = cell_reason::deadline;
    return what;
}

class a_command : public testing::Test {
  protected:
    time_point at(int ms) const { return start_ + milliseconds(ms); }
    void close_pipes() {
        EXPECT_THAT(machine.at_end_of(out), IsEmpty());
        EXPECT_THAT(machine.at_end_of(err), IsEmpty());
    }
    command_outcome left_open(command_outcome what) {
        what.left_open = {out, err};
        return what;
    }

    time_point start_{};
    command_fsm machine{command_limits{}, milliseconds(180'000), start_};
};

TEST_F(a_command, ends_when_its_process_has_and_its_pipes_are_at_their_end) {
    EXPECT_THAT(machine.exited(0, false, at(10)), IsEmpty());
    EXPECT_THAT(machine.at_end_of(out), IsEmpty());
    EXPECT_THAT(machine.at_end_of(err), ElementsAre(action(outcome(cell_status::ok, 0))));
    EXPECT_TRUE(machine.has_ended());
    EXPECT_EQ(machine.next_wakeup(), std::nullopt);
}

TEST_F(a_command, that_closes_its_outputs_first_ends_with_its_process) {
    close_pipes();
    EXPECT_FALSE(machine.has_ended());
    EXPECT_THAT(machine.exited(exit_3, false, at(10)), ElementsAre(action(outcome(cell_status::error, 3))));
}

TEST_F(a_command, that_a_signal_ended_is_an_error) {
    close_pipes();
    EXPECT_THAT(machine.exited(SIGSEGV, false, at(1)),
                ElementsAre(action(outcome(cell_status::error, std::nullopt, SIGSEGV))));
}

TEST_F(a_command, ends_a_second_after_its_process_when_something_holds_its_pipes) {
    machine.exited(0, false, at(10));
    EXPECT_EQ(machine.next_wakeup(), at(1010));
    EXPECT_THAT(machine.on_time(at(1009)), IsEmpty());
    EXPECT_THAT(machine.on_time(at(1010)), ElementsAre(action(left_open(outcome(cell_status::ok, 0)))));
    EXPECT_THAT(machine.at_end_of(out), IsEmpty()) << "late";
}

TEST_F(a_command, is_asked_to_end_at_its_deadline_and_killed_after_the_grace) {
    EXPECT_EQ(machine.next_wakeup(), at(180'000));
    EXPECT_THAT(machine.on_time(at(180'000)), ElementsAre(sent(SIGTERM, true)));
    EXPECT_THAT(machine.on_time(at(181'999)), IsEmpty());
    EXPECT_THAT(machine.on_time(at(182'000)), ElementsAre(sent(SIGKILL, true)));
    EXPECT_THAT(machine.exited(SIGKILL, false, at(182'001)), IsEmpty());
    machine.at_end_of(out);
    EXPECT_THAT(machine.at_end_of(err), ElementsAre(action(outcome(cell_status::timeout, std::nullopt, SIGKILL))));
}

TEST_F(a_command, that_ends_well_after_its_deadline_is_still_late) {
    machine.on_time(at(180'000));
    close_pipes();
    EXPECT_THAT(machine.exited(0, false, at(180'001)), ElementsAre(action(outcome(cell_status::timeout, 0))));
}

TEST_F(a_command, whose_process_cannot_be_killed_ends_without_it) {
    machine.on_time(at(180'000));
    machine.on_time(at(182'000));
    EXPECT_THAT(machine.on_time(at(187'000)),
                ElementsAre(action(left_open(outcome(cell_status::timeout, std::nullopt)))));
    EXPECT_THAT(machine.exited(SIGKILL, false, at(190'000)), IsEmpty());
}

TEST_F(a_command, that_ended_just_before_its_deadline_is_not_late) {
    machine.exited(0, false, at(179'999));
    EXPECT_THAT(machine.on_time(at(180'000)), IsEmpty());
    EXPECT_THAT(machine.on_time(at(180'999)), ElementsAre(action(left_open(outcome(cell_status::ok, 0)))));
}

TEST_F(a_command, without_a_deadline_waits_for_nothing) {
    command_fsm endless(command_limits{}, milliseconds(0), start_);
    EXPECT_EQ(endless.next_wakeup(), std::nullopt);
    EXPECT_THAT(endless.on_time(at(1 << 30)), IsEmpty());
}

TEST_F(a_command, that_was_asked_to_end_is_interrupted) {
    EXPECT_THAT(machine.asked_to_signal(SIGINT), ElementsAre(sent(SIGINT, false)));
    close_pipes();
    EXPECT_THAT(machine.exited(SIGINT, false, at(5)),
                ElementsAre(action(outcome(cell_status::interrupted, std::nullopt, SIGINT))));
}

TEST_F(a_command, that_takes_a_signal_and_ends_well_is_ok) {
    machine.asked_to_signal(SIGTERM);
    close_pipes();
    EXPECT_THAT(machine.exited(0, false, at(5)), ElementsAre(action(outcome(cell_status::ok, 0))));
}

TEST_F(a_command, that_fails_after_another_signal_has_failed) {
    machine.asked_to_signal(SIGUSR1);
    close_pipes();
    EXPECT_THAT(machine.exited(exit_3, false, at(5)), ElementsAre(action(outcome(cell_status::error, 3))));
}

TEST_F(a_command, takes_no_signal_when_its_process_has_ended) {
    machine.exited(0, false, at(1));
    EXPECT_THAT(machine.asked_to_signal(SIGTERM), IsEmpty());
}

command_outcome lost(cell_reason why) {
    command_outcome what;
    what.status = cell_status::lost;
    what.reason = why;
    return what;
}

TEST_F(a_command, is_lost_with_its_kernel_whichever_is_told_first) {
    EXPECT_THAT(machine.kernel_ended(cell_reason::restarted), ElementsAre(action(lost(cell_reason::restarted))));
    EXPECT_THAT(machine.exited(SIGKILL, true, at(1)), IsEmpty());
    EXPECT_THAT(machine.kernel_ended(cell_reason::crashed), IsEmpty()) << "once";

    command_fsm other(command_limits{}, milliseconds(0), start_);
    EXPECT_THAT(other.exited(SIGKILL, true, at(1)), IsEmpty());
    other.at_end_of(out);
    EXPECT_THAT(other.at_end_of(err), IsEmpty()) << "the reason is yet to come";
    EXPECT_THAT(other.kernel_ended(cell_reason::oom), ElementsAre(action(lost(cell_reason::oom))));
}

TEST_F(a_command, whose_box_ended_without_a_word_of_the_kernel_is_lost_after_a_while) {
    machine.exited(SIGKILL, true, at(0));
    EXPECT_THAT(machine.on_time(at(9'999)), IsEmpty());
    EXPECT_THAT(machine.on_time(at(10'000)), ElementsAre(action(lost(cell_reason::crashed))));
}

TEST_F(a_command, that_had_ended_before_its_kernel_is_not_lost) {
    machine.exited(0, false, at(1));
    EXPECT_THAT(machine.kernel_ended(cell_reason::restarted),
                ElementsAre(action(left_open(outcome(cell_status::ok, 0)))));
}

}  // namespace
}  // namespace gateway::sessions
