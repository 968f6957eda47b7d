#include "gateway/kernels/kernel_fsm.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

namespace gateway::kernels {
namespace {

using on = lifecycle_event;

on timer(timer_kind which) {
    on event{on::timer};
    event.which = which;
    return event;
}

on exited(int status) {
    on event{on::exited};
    event.status = status;
    return event;
}

on restart(end_reason why, bool kill = false) {
    on event{on::restart_requested};
    event.why = why;
    event.kill = kill;
    return event;
}

on shutdown(end_reason why) {
    on event{on::shutdown_requested};
    event.why = why;
    return event;
}

const on start{on::start_requested}, launched{on::launched}, launch_failed{on::launch_failed},
    answered{on::probe_answered}, iopub{on::iopub_seen}, injected{on::injected}, executed{on::executed},
    drained{on::drained};

struct step {
    on event;
    const char* actions;  // as to_string() has them, joined by ", "
};
using steps = std::vector<step>;

std::string joined(const kernel_fsm::actions& actions) {
    std::string text;
    for (const auto& each : actions) text += (text.empty() ? "" : ", ") + to_string(each);
    return text;
}

class kernel_fsm_test : public testing::Test {
  protected:
    void walk(const steps& table) {
        for (std::size_t row = 0; row < table.size(); ++row)
            EXPECT_EQ(joined(machine.handle(table[row].event)), table[row].actions) << "in row " << row;
    }
    void to_running() {
        for (const auto& event : {start, launched, answered, iopub}) machine.handle(event);
        ASSERT_EQ(machine.where(), phase::running);
    }
    // A process that came up again after a death.
    void come_up() {
        for (const auto& event : {launched, answered, iopub}) machine.handle(event);
        ASSERT_EQ(machine.where(), phase::running);
    }
    void die(int status = SIGSEGV) {
        machine.handle(exited(status));
        machine.handle(drained);
    }

    kernel_fsm machine{lifecycle_settings{}};
};

TEST_F(kernel_fsm_test, a_kernel_is_idle_once_it_answered_and_its_subscription_stands) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {answered, "probe, start nudge"},
          {timer(timer_kind::nudge), "probe, start nudge"},
          {answered, ""},
          {iopub, "cancel launch, cancel probe, cancel nudge, start stable, tell idle"}});
    EXPECT_EQ(machine.state(), kernel_state::idle);
}

TEST_F(kernel_fsm_test, an_iopub_message_before_the_reply_counts) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {iopub, ""},
          {answered, "cancel launch, cancel probe, start stable, tell idle"}});
}

TEST_F(kernel_fsm_test, an_unanswered_probe_is_repeated_rarely_and_no_more_once_it_was_answered) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {timer(timer_kind::probe), "probe, start probe"},
          {answered, "probe, start nudge"},
          {timer(timer_kind::probe), ""}});
}

TEST_F(kernel_fsm_test, a_python_kernel_is_idle_after_its_injection) {
    machine = kernel_fsm({.inject = true, .fixed = {}, .proven = {}});
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {injected, ""},
          {iopub, ""},
          {answered, "inject"},
          {iopub, ""},
          {injected, "cancel launch, cancel probe, start stable, tell idle"}});
}

TEST_F(kernel_fsm_test, an_injection_without_an_answer_does_not_keep_the_kernel) {
    machine = kernel_fsm({.inject = true, .fixed = {}, .proven = {}});
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {iopub, ""},
          {answered, "inject"},
          {timer(timer_kind::launch), "inject missed, cancel probe, start stable, tell idle"}});
}

TEST_F(kernel_fsm_test, a_launch_that_failed_is_the_end_until_someone_restarts) {
    walk({{start, "launch over ipc, start launch"},
          {launch_failed, "cancel launch, tell dead start_failed"},
          {restart(end_reason::restarted), "tell restarting restarted, launch over ipc, start launch"}});
    EXPECT_EQ(machine.restarts(), 1);
}

TEST_F(kernel_fsm_test, a_launcher_that_does_not_answer_is_given_up) {
    walk({{start, "launch over ipc, start launch"},
          {timer(timer_kind::launch), "tell dead start_failed"},
          {launched, ""}});
}

TEST_F(kernel_fsm_test, a_kernel_that_ends_over_ipc_before_its_life_is_tried_over_tcp_in_silence) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {exited(256), "cancel launch, cancel probe, drain"},
          {drained, "disconnect, launch over tcp, start launch"}});
    EXPECT_EQ(machine.state(), kernel_state::starting);
    EXPECT_EQ(machine.restarts(), 0);
}

TEST_F(kernel_fsm_test, a_kernel_that_is_silent_over_ipc_is_tried_over_tcp_and_then_given_up) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {timer(timer_kind::launch), "cancel probe, kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, launch over tcp, start launch"},
          {launched, "connect, probe, start probe"},
          {timer(timer_kind::launch), "cancel probe, kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, tell dead start_failed"}});
}

TEST_F(kernel_fsm_test, the_metadata_of_a_spec_decides_the_transport_for_good) {
    machine = kernel_fsm({.inject = false, .fixed = transport::ipc, .proven = {}});
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {exited(256), "cancel launch, cancel probe, drain"},
          {drained, "disconnect, launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {timer(timer_kind::launch), "cancel probe, kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, tell dead start_failed"}});
}

TEST_F(kernel_fsm_test, what_another_kernel_of_the_spec_came_up_over_is_taken_and_kept) {
    machine = kernel_fsm({.inject = false, .fixed = {}, .proven = transport::tcp});
    walk({{start, "launch over tcp, start launch"}});
    machine = kernel_fsm({.inject = false, .fixed = {}, .proven = transport::ipc});
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {exited(256), "cancel launch, cancel probe, drain"},
          {drained, "disconnect, launch over ipc, start launch"}});
}

TEST_F(kernel_fsm_test, a_kernel_that_never_lives_is_started_six_times_and_told_dead_once) {
    int launches = 0;
    int tells = 0;
    auto count = [&](const kernel_fsm::actions& actions) {
        for (const auto& each : actions) {
            launches += each.what == lifecycle_action::launch;
            tells += each.what == lifecycle_action::tell;
        }
    };
    count(machine.handle(start));
    while (machine.where() == phase::launching)
        for (const auto& event : {launched, exited(256), drained}) count(machine.handle(event));
    EXPECT_EQ(launches, 6);  // one start and five more
    EXPECT_EQ(tells, 1);
    EXPECT_EQ(machine.state(), kernel_state::dead);
    EXPECT_EQ(machine.reason(), end_reason::start_failed);
}

TEST_F(kernel_fsm_test, a_death_is_drained_and_then_told_before_the_next_process_starts) {
    to_running();
    walk({{exited(SIGSEGV), "cancel stable, drain"},
          {iopub, ""},
          {drained, "disconnect, tell restarting crashed, launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {iopub, ""},
          {answered, "cancel launch, cancel probe, start stable, tell idle"}});
    EXPECT_EQ(machine.restarts(), 1);
}

TEST_F(kernel_fsm_test, a_kill_from_outside_is_told_as_killed_and_an_exit_as_crashed) {
    to_running();
    die(SIGKILL);
    EXPECT_EQ(machine.reason(), end_reason::killed);
    come_up();
    die(0);
    EXPECT_EQ(machine.reason(), end_reason::crashed);
}

TEST_F(kernel_fsm_test, a_kill_for_memory_is_told_as_that) {
    to_running();
    on end = exited(SIGKILL);
    end.oom = true;
    machine.handle(end);
    machine.handle(drained);
    EXPECT_EQ(machine.reason(), end_reason::oom);
}

TEST_F(kernel_fsm_test, five_consecutive_deaths_are_answered_by_a_start_and_the_sixth_is_the_end) {
    to_running();
    for (int death = 1; death <= 5; ++death) {
        die();
        EXPECT_EQ(machine.state(), kernel_state::restarting) << death;
        come_up();
    }
    die();
    EXPECT_EQ(machine.state(), kernel_state::dead);
    EXPECT_EQ(machine.reason(), end_reason::crashed);
    EXPECT_EQ(machine.restarts(), 5);
}

TEST_F(kernel_fsm_test, a_kernel_that_executed_something_or_lived_on_starts_counting_anew) {
    to_running();
    for (const auto& sign_of_life : {executed, timer(timer_kind::stable)})
        for (int death = 1; death <= 5; ++death) {
            die();
            come_up();
            if (death == 5) machine.handle(sign_of_life);
        }
    die();
    EXPECT_EQ(machine.state(), kernel_state::restarting);
}

TEST_F(kernel_fsm_test, restarts_that_were_asked_for_never_count_as_deaths) {
    to_running();
    for (int round = 0; round < 20; ++round) {
        machine.handle(restart(end_reason::deadline, true));
        die(SIGKILL);
        EXPECT_EQ(machine.reason(), end_reason::deadline);
        come_up();
    }
    EXPECT_EQ(machine.restarts(), 20);
}

TEST_F(kernel_fsm_test, a_polite_restart_asks_and_insists_after_a_while) {
    to_running();
    walk({{restart(end_reason::restarted), "cancel stable, ask shutdown, start shutdown"},
          {timer(timer_kind::shutdown), "kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, tell restarting restarted, launch over ipc, start launch"}});
}

TEST_F(kernel_fsm_test, a_restart_shows_at_once_and_others_join_it) {
    to_running();
    walk({{restart(end_reason::restarted), "cancel stable, ask shutdown, start shutdown"},
          {restart(end_reason::restarted), ""}});
    EXPECT_EQ(machine.state(), kernel_state::restarting);
    walk({{exited(0), "cancel shutdown, drain"},
          {restart(end_reason::restarted), ""},
          {drained, "disconnect, tell restarting restarted, launch over ipc, start launch"},
          {restart(end_reason::restarted), ""},
          {launched, "connect, probe, start probe"},
          {restart(end_reason::restarted), ""}});
    EXPECT_EQ(machine.restarts(), 1);
}

TEST_F(kernel_fsm_test, a_killing_restart_hurries_a_polite_one) {
    to_running();
    walk({{restart(end_reason::restarted), "cancel stable, ask shutdown, start shutdown"},
          {restart(end_reason::deadline, true), "cancel shutdown, kill, start kill"},
          {restart(end_reason::deadline, true), ""}});
}

TEST_F(kernel_fsm_test, a_restart_of_a_kernel_that_just_died_is_that_restart) {
    to_running();
    walk({{exited(SIGSEGV), "cancel stable, drain"},
          {restart(end_reason::restarted), ""},
          {drained, "disconnect, tell restarting restarted, launch over ipc, start launch"}});
}

TEST_F(kernel_fsm_test, a_kill_without_an_exit_does_not_hold_for_ever) {
    to_running();
    walk({{restart(end_reason::deadline, true), "cancel stable, kill, start kill"},
          {timer(timer_kind::kill), "drain"},
          {drained, "disconnect, tell restarting deadline, launch over ipc, start launch"},
          {exited(SIGKILL), ""}});
}

TEST_F(kernel_fsm_test, a_shutdown_is_polite_bounded_and_final) {
    to_running();
    walk({{shutdown(end_reason::session_ended), "cancel stable, ask shutdown, start shutdown"},
          {shutdown(end_reason::culled), ""},
          {timer(timer_kind::shutdown), "kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, tell dead session_ended"},
          {restart(end_reason::restarted), ""},
          {shutdown(end_reason::culled), ""}});
    EXPECT_TRUE(machine.is_final());
}

TEST_F(kernel_fsm_test, a_shutdown_overtakes_a_restart_at_every_point) {
    to_running();
    auto running = machine;
    const steps points = {{restart(end_reason::restarted), ""}, {exited(0), ""}, {drained, ""}, {launched, ""}};
    for (std::size_t until = 1; until <= points.size(); ++until) {
        machine = running;
        for (std::size_t i = 0; i < until; ++i) machine.handle(points[i].event);
        machine.handle(shutdown(end_reason::session_ended));
        for (const auto& event : {launched, exited(SIGKILL), drained}) machine.handle(event);
        EXPECT_EQ(machine.where(), phase::dead) << until;
        EXPECT_EQ(machine.reason(), end_reason::session_ended) << until;
        EXPECT_TRUE(machine.is_final());
    }
}

TEST_F(kernel_fsm_test, a_shutdown_before_the_launch_was_answered_kills_what_comes) {
    walk({{start, "launch over ipc, start launch"},
          {shutdown(end_reason::session_ended), "cancel launch, start kill"},
          {shutdown(end_reason::session_ended), ""},
          {launched, "cancel kill, kill, start kill"},
          {exited(SIGKILL), "cancel kill, drain"},
          {drained, "disconnect, tell dead session_ended"}});
}

TEST_F(kernel_fsm_test, a_shutdown_ends_also_when_the_launch_fails_or_never_answers) {
    for (const auto& answer : {launch_failed, timer(timer_kind::kill)}) {
        machine = kernel_fsm(lifecycle_settings{});
        machine.handle(start);
        machine.handle(shutdown(end_reason::session_ended));
        machine.handle(answer);
        EXPECT_EQ(machine.where(), phase::dead);
        EXPECT_EQ(machine.reason(), end_reason::session_ended);
    }
}

TEST_F(kernel_fsm_test, a_kernel_that_is_not_ready_yet_is_killed_without_asking) {
    walk({{start, "launch over ipc, start launch"},
          {launched, "connect, probe, start probe"},
          {shutdown(end_reason::session_ended), "cancel launch, cancel probe, kill, start kill"}});
}

TEST_F(kernel_fsm_test, a_shutdown_before_the_start_prevents_it) {
    walk({{shutdown(end_reason::session_ended), "tell dead session_ended"}, {start, ""}});
    EXPECT_TRUE(machine.is_final());
}

TEST_F(kernel_fsm_test, a_timer_that_was_cancelled_meanwhile_does_nothing) {
    to_running();
    walk({{timer(timer_kind::launch), ""}, {timer(timer_kind::nudge), ""}, {timer(timer_kind::kill), ""}});
}

}  // namespace
}  // namespace gateway::kernels
