#include "gateway/sessions/execution_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::sessions {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string describe(const action::send& what) { return "send " + what.msg_id; }
std::string describe(const action::began& what) { return "began " + what.msg_id; }
std::string describe(const action::interrupt&) { return "interrupt"; }
std::string describe(const action::kill&) { return "kill"; }
std::string describe(const action::ended& what) {
    return "ended " + what.msg_id + " " + to_string(what.status) +
           (what.reason == cell_reason::none ? "" : std::string(" ") + to_string(what.reason)) +
           (what.kernel_restarted ? " restarted" : "");
}

std::vector<std::string> words(const execution_actions& actions) {
    std::vector<std::string> out;
    for (const auto& each : actions) out.push_back(std::visit([](const auto& what) { return describe(what); }, each));
    return out;
}

// A kernel whose time is told, with a grace of two seconds.
class Executions : public ::testing::Test {
  protected:
    std::vector<std::string> submit(const std::string& id, std::optional<milliseconds> deadline = std::nullopt) {
        return words(fsm.submit({id, origin::agent, false, deadline}));
    }
    void forward(const std::string& id) { fsm.forward({id, origin::jupyter, false, std::nullopt}); }
    std::vector<std::string> run(const std::string& id) {
        auto out = words(fsm.busy(id, now));
        for (auto& each : words(fsm.input_echoed(id))) out.push_back(each);
        return out;
    }
    std::vector<std::string> reply(const std::string& id, const std::string& status, const std::string& ename = "") {
        return words(fsm.replied(id, status, ename, now));
    }
    std::vector<std::string> idle(const std::string& id) { return words(fsm.idle(id, now)); }
    std::vector<std::string> finish(const std::string& id, const std::string& status, const std::string& ename = "") {
        auto out = reply(id, status, ename);
        for (auto& each : idle(id)) out.push_back(each);
        return out;
    }
    std::vector<std::string> pass(milliseconds time) {
        now += time;
        return words(fsm.on_time(now));
    }

    execution_fsm fsm{seconds(2)};
    tick now{};
};

class ReadyExecutions : public Executions {
  protected:
    ReadyExecutions() { fsm.kernel_ready(); }
};

TEST_F(Executions, a_cell_waits_for_the_kernel) {
    EXPECT_THAT(submit("a"), IsEmpty());
    EXPECT_THAT(words(fsm.kernel_ready()), ElementsAre("send a"));
}

TEST_F(ReadyExecutions, a_cell_runs_and_ends_when_reply_and_idle_came) {
    EXPECT_THAT(submit("a"), ElementsAre("send a"));
    EXPECT_THAT(run("a"), ElementsAre("began a"));
    EXPECT_THAT(reply("a", "ok"), IsEmpty());
    EXPECT_THAT(idle("a"), ElementsAre("ended a ok"));
}

TEST_F(ReadyExecutions, idle_may_come_before_the_reply) {
    submit("a");
    run("a");
    EXPECT_THAT(idle("a"), IsEmpty());
    EXPECT_THAT(reply("a", "error", "ValueError"), ElementsAre("ended a error"));
}

TEST_F(ReadyExecutions, agents_cells_go_one_at_a_time) {
    submit("a");
    EXPECT_THAT(submit("b"), IsEmpty());
    run("a");
    EXPECT_THAT(finish("a", "ok"), ElementsAre("ended a ok", "send b"));
}

TEST_F(ReadyExecutions, an_agents_cell_waits_while_a_jupyter_request_is_outstanding) {
    forward("j");
    EXPECT_THAT(submit("a"), IsEmpty());
    run("j");
    EXPECT_THAT(finish("j", "ok"), ElementsAre("ended j ok", "send a"));
}

TEST_F(ReadyExecutions, a_foreign_failure_does_not_take_an_agents_cell_with_it) {
    submit("a");
    EXPECT_THAT(finish("a", "aborted"), ElementsAre("send a"));
    run("a");
    EXPECT_THAT(finish("a", "ok"), ElementsAre("ended a ok"));
}

TEST_F(ReadyExecutions, a_cell_that_is_always_aborted_ends_at_last) {
    submit("a");
    for (int times = 0; times < 20; ++times) EXPECT_THAT(finish("a", "aborted"), ElementsAre("send a"));
    EXPECT_THAT(finish("a", "aborted"), ElementsAre("ended a cancelled aborted"));
}

TEST_F(ReadyExecutions, a_jupyter_cell_that_the_kernel_aborted_is_cancelled) {
    forward("j");
    EXPECT_THAT(finish("j", "aborted"), ElementsAre("ended j cancelled aborted"));
}

TEST_F(ReadyExecutions, the_deadline_interrupts_and_the_cell_is_a_timeout) {
    submit("a", seconds(5));
    run("a");
    EXPECT_EQ(fsm.next_wakeup(), now + seconds(5));
    EXPECT_THAT(pass(seconds(5)), ElementsAre("interrupt"));
    EXPECT_THAT(finish("a", "error", "KeyboardInterrupt"), ElementsAre("ended a timeout deadline"));
    EXPECT_FALSE(fsm.next_wakeup());
}

TEST_F(ReadyExecutions, a_cell_that_catches_the_interrupt_and_ends_well_is_still_a_timeout) {
    submit("a", seconds(5));
    run("a");
    pass(seconds(5));
    EXPECT_THAT(finish("a", "ok"), ElementsAre("ended a timeout deadline"));
}

TEST_F(ReadyExecutions, after_the_grace_the_kernel_is_killed_once) {
    submit("a", seconds(5));
    run("a");
    pass(seconds(5));
    EXPECT_EQ(fsm.next_wakeup(), now + seconds(2));
    EXPECT_THAT(pass(milliseconds(1999)), IsEmpty());
    EXPECT_THAT(pass(milliseconds(1)), ElementsAre("kill"));
    EXPECT_THAT(pass(seconds(9)), IsEmpty());
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::deadline, true)),
                ElementsAre("ended a timeout deadline restarted"));
}

TEST_F(ReadyExecutions, the_deadline_of_a_cell_that_is_not_busy_never_interrupts_another) {
    submit("a", seconds(5));
    EXPECT_FALSE(fsm.next_wakeup());
    EXPECT_THAT(pass(seconds(60)), IsEmpty());
    run("a");
    EXPECT_EQ(fsm.next_wakeup(), now + seconds(5));
}

TEST_F(ReadyExecutions, no_interrupt_is_sent_when_the_reply_came_just_before_the_deadline) {
    submit("a", seconds(5));
    run("a");
    reply("a", "ok");
    EXPECT_THAT(pass(seconds(6)), IsEmpty());
    EXPECT_THAT(idle("a"), ElementsAre("ended a ok"));
}

TEST_F(ReadyExecutions, a_jupyter_cell_behind_a_killed_one_is_cancelled_by_the_restart) {
    submit("a", seconds(5));
    run("a");
    forward("j");
    pass(seconds(5));
    pass(seconds(2));
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::deadline, true)),
                ElementsAre("ended a timeout deadline restarted", "ended j cancelled restarted restarted"));
}

TEST_F(ReadyExecutions, the_clock_stands_still_while_the_debugger_has_stopped_the_kernel) {
    submit("a", seconds(5));
    run("a");
    now += seconds(3);
    fsm.debugger_stopped(now);
    EXPECT_FALSE(fsm.next_wakeup());
    EXPECT_THAT(pass(seconds(600)), IsEmpty());
    fsm.debugger_continued(now);
    EXPECT_EQ(fsm.next_wakeup(), now + seconds(2));
}

TEST_F(ReadyExecutions, a_stopped_kernel_is_not_killed_in_its_grace) {
    submit("a", seconds(5));
    run("a");
    pass(seconds(5));
    fsm.debugger_stopped(now);
    EXPECT_THAT(pass(seconds(600)), IsEmpty());
}

TEST_F(ReadyExecutions, cancelling_a_queued_cell_means_it_never_starts) {
    submit("a");
    submit("b");
    EXPECT_THAT(words(fsm.cancel("b")), ElementsAre("ended b cancelled aborted"));
    run("a");
    EXPECT_THAT(finish("a", "ok"), ElementsAre("ended a ok"));
}

TEST_F(ReadyExecutions, cancelling_a_running_cell_interrupts_it) {
    submit("a");
    run("a");
    EXPECT_THAT(words(fsm.cancel("a")), ElementsAre("interrupt"));
    EXPECT_THAT(finish("a", "error", "KeyboardInterrupt"), ElementsAre("ended a interrupted"));
}

TEST_F(ReadyExecutions, cancelling_a_cell_on_its_way_interrupts_it_when_it_is_busy) {
    submit("a");
    EXPECT_THAT(words(fsm.cancel("a")), IsEmpty());
    EXPECT_THAT(words(fsm.busy("a", now)), ElementsAre("interrupt"));
}

TEST_F(ReadyExecutions, a_cancelled_cell_that_was_aborted_is_not_sent_again) {
    submit("a");
    fsm.cancel("a");
    EXPECT_THAT(finish("a", "aborted"), ElementsAre("ended a cancelled aborted"));
}

TEST_F(ReadyExecutions, a_keyboard_interrupt_from_elsewhere_is_an_interrupted_cell) {
    forward("j");
    run("j");
    EXPECT_THAT(finish("j", "error", "KeyboardInterrupt"), ElementsAre("ended j interrupted"));
}

TEST_F(ReadyExecutions, a_lost_idle_ends_the_cell_after_a_while) {
    submit("a");
    run("a");
    reply("a", "ok");
    EXPECT_THAT(pass(milliseconds(9'999)), IsEmpty());
    EXPECT_THAT(pass(milliseconds(1)), ElementsAre("ended a ok"));
}

TEST_F(ReadyExecutions, the_next_busy_ends_a_replied_cell_whose_idle_was_lost) {
    forward("j");
    forward("k");
    run("j");
    reply("j", "ok");
    EXPECT_THAT(run("k"), ElementsAre("ended j ok", "began k"));
}

TEST_F(ReadyExecutions, a_crash_loses_the_running_cell_and_cancels_the_rest) {
    submit("a");
    run("a");
    forward("j");
    submit("b");
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)),
                ElementsAre("ended a lost crashed restarted", "ended j cancelled restarted restarted",
                            "ended b cancelled restarted restarted"));
    EXPECT_THAT(submit("c"), IsEmpty());
    EXPECT_THAT(words(fsm.kernel_ready()), ElementsAre("send c"));
}

TEST_F(ReadyExecutions, a_cell_whose_reply_came_before_the_crash_keeps_its_end) {
    submit("a");
    run("a");
    reply("a", "ok");
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)), ElementsAre("ended a ok"));
}

TEST_F(Executions, a_kernel_that_never_started_cancels_what_waited) {
    submit("a");
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::start_failed, false)),
                ElementsAre("ended a cancelled start_failed"));
}

TEST_F(ReadyExecutions, a_silent_request_begins_when_it_is_busy_and_blocks_agents_meanwhile) {
    fsm.forward({"s", origin::jupyter, true, std::nullopt});
    EXPECT_THAT(submit("a"), IsEmpty());
    EXPECT_THAT(words(fsm.busy("s", now)), ElementsAre("began s"));
    EXPECT_THAT(finish("s", "ok"), ElementsAre("ended s ok", "send a"));
}

TEST_F(ReadyExecutions, unknown_parents_change_nothing) {
    submit("a");
    EXPECT_THAT(run("x"), IsEmpty());
    EXPECT_THAT(finish("x", "ok"), IsEmpty());
    EXPECT_TRUE(fsm.is_waiting("a"));
}

TEST_F(ReadyExecutions, a_cell_that_the_kernel_never_takes_up_ends_at_its_deadline_all_the_same) {
    submit("a", seconds(1));
    fsm.was_sent("a", now);
    EXPECT_EQ(fsm.next_wakeup(), now + seconds(1));
    EXPECT_THAT(pass(seconds(1)), ElementsAre("interrupt"));
    EXPECT_THAT(pass(seconds(2)), ElementsAre("kill"));
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::deadline, true)),
                ElementsAre("ended a timeout deadline restarted"));
}

TEST_F(ReadyExecutions, the_clock_of_a_cell_starts_anew_when_it_is_busy) {
    submit("a", seconds(1));
    fsm.was_sent("a", now);
    EXPECT_THAT(pass(milliseconds(900)), IsEmpty());
    run("a");
    EXPECT_THAT(pass(milliseconds(900)), IsEmpty());
    EXPECT_THAT(pass(milliseconds(100)), ElementsAre("interrupt"));
}

TEST_F(ReadyExecutions, other_work_of_the_kernel_holds_the_clock_of_a_cell_that_waits_for_it) {
    fsm.busy("of a client on the connection file", now);
    submit("a", seconds(1));
    fsm.was_sent("a", now);
    fsm.busy("another", now);
    EXPECT_THAT(pass(seconds(100)), IsEmpty());
    idle("of a client on the connection file");
    EXPECT_THAT(pass(seconds(100)), IsEmpty());
    idle("another");
    EXPECT_THAT(pass(seconds(1)), ElementsAre("interrupt"));
}

TEST_F(ReadyExecutions, an_interrupt_that_costs_the_reply_ends_the_cell) {
    submit("a", seconds(5));
    run("a");
    EXPECT_THAT(words(fsm.cancel("a")), ElementsAre("interrupt"));
    EXPECT_THAT(idle("a"), IsEmpty());
    submit("b");
    EXPECT_THAT(pass(seconds(1)), IsEmpty());
    EXPECT_THAT(pass(seconds(1)), ElementsAre("ended a interrupted", "send b"));
}

TEST_F(ReadyExecutions, a_deadlines_interrupt_that_costs_the_reply_kills_nothing) {
    submit("a", seconds(5));
    run("a");
    EXPECT_THAT(pass(seconds(5)), ElementsAre("interrupt"));
    idle("a");
    EXPECT_THAT(pass(seconds(2)), ElementsAre("ended a timeout deadline"));
}

TEST_F(ReadyExecutions, an_idle_whose_reply_is_lost_ends_the_cell_in_the_end) {
    submit("a", seconds(5));
    run("a");
    idle("a");
    EXPECT_THAT(pass(seconds(10)), ElementsAre("ended a error"));
}

TEST_F(ReadyExecutions, a_cell_that_ended_its_kernel_before_it_said_busy_is_lost) {
    submit("a");
    fsm.was_sent("a", now);
    submit("b");
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)),
                ElementsAre("ended a lost crashed restarted", "ended b cancelled restarted restarted"));
}

TEST_F(ReadyExecutions, a_cell_that_waited_for_other_work_when_the_kernel_ended_never_ran) {
    fsm.busy("of a client on the connection file", now);
    submit("a");
    fsm.was_sent("a", now);
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)),
                ElementsAre("ended a cancelled restarted restarted"));
}

TEST_F(ReadyExecutions, an_interrupt_at_the_deadline_that_ends_the_kernel_is_the_deadline) {
    submit("a", seconds(1));
    run("a");
    EXPECT_THAT(pass(seconds(1)), ElementsAre("interrupt"));
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)), ElementsAre("ended a timeout deadline restarted"));
}

TEST_F(Executions, ACellThatIsHeldWaitsForItsReleaseAndThoseBehindWaitForIt) {
    fsm.kernel_ready();
    EXPECT_THAT(words(fsm.submit({"a", origin::agent, false, std::nullopt, true})), IsEmpty());
    EXPECT_THAT(submit("b"), IsEmpty());
    EXPECT_THAT(words(fsm.release("a")), ElementsAre("send a"));
    run("a");
    EXPECT_THAT(finish("a", "ok"), ElementsAre("ended a ok", "send b"));
}

TEST_F(Executions, ACellThatIsReleasedBeforeTheKernelIsReadyGoesWhenItIs) {
    fsm.submit({"a", origin::agent, false, std::nullopt, true});
    EXPECT_THAT(words(fsm.release("a")), IsEmpty());
    EXPECT_THAT(words(fsm.kernel_ready()), ElementsAre("send a"));
}

TEST_F(Executions, ACellThatIsHeldIsCancelledOrEndsWithItsKernelLikeAnother) {
    fsm.kernel_ready();
    fsm.submit({"a", origin::agent, false, std::nullopt, true});
    EXPECT_THAT(words(fsm.cancel("a")), ElementsAre("ended a cancelled aborted"));
    EXPECT_THAT(words(fsm.release("a")), IsEmpty());
    fsm.submit({"b", origin::agent, false, std::nullopt, true});
    EXPECT_THAT(words(fsm.kernel_ended(cell_reason::crashed, true)),
                ElementsAre("ended b cancelled restarted restarted"));
}

}  // namespace
}  // namespace gateway::sessions
