#include "gateway/tools/server_fsm.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

using std::chrono::seconds;
using state = server_state;
using action = server_action;

const server_fsm::time start{};

server_fsm in(state wanted) {
    server_fsm made;
    if (wanted == state::idle) return made;
    made.on_wanted(start);
    if (wanted == state::ready) made.on_started();
    if (wanted == state::resting) made.on_failed(start, "why");
    if (wanted == state::stopped) made.on_stop();
    return made;
}

// Every event in every state: the action and the state after it. "resting" is asked before its time is over.
struct row {
    state from;
    action wanted_action;
    state after_wanted, after_started, after_answered;
    action failed_action;
    state after_failed;
};
const row rows[] = {
    {state::idle, action::start, state::starting, state::idle, state::idle, action::none, state::idle},
    {state::starting, action::none, state::starting, state::ready, state::starting, action::none, state::resting},
    {state::ready, action::none, state::ready, state::ready, state::ready, action::start, state::starting},
    {state::resting, action::refuse, state::resting, state::resting, state::resting, action::none, state::resting},
    {state::stopped, action::refuse, state::stopped, state::stopped, state::stopped, action::none, state::stopped},
};

TEST(server_fsm, answers_every_event_in_every_state) {
    for (const auto& each : rows) {
        SCOPED_TRACE(static_cast<int>(each.from));
        auto wanted = in(each.from), started = in(each.from), answered = in(each.from), failed = in(each.from);
        EXPECT_EQ(wanted.on_wanted(start), each.wanted_action);
        EXPECT_EQ(wanted.state(), each.after_wanted);
        started.on_started();
        EXPECT_EQ(started.state(), each.after_started);
        answered.on_answered();
        EXPECT_EQ(answered.state(), each.after_answered);
        EXPECT_EQ(failed.on_failed(start, "why"), each.failed_action);
        EXPECT_EQ(failed.state(), each.after_failed);
        failed.on_stop();
        EXPECT_EQ(failed.state(), state::stopped);
    }
}

TEST(server_fsm, rests_twice_as_long_after_each_failed_start_up_to_a_minute) {
    server_fsm fsm;
    auto now = start;
    for (int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
        EXPECT_EQ(fsm.on_wanted(now), action::start);
        fsm.on_failed(now, "why");
        EXPECT_EQ(fsm.retry_at(), now + seconds(expected));
        EXPECT_EQ(fsm.on_wanted(fsm.retry_at() - seconds(1)), expected == 0 ? action::start : action::refuse);
        now = fsm.retry_at();
    }
    EXPECT_EQ(fsm.reason(), "why");
}

TEST(server_fsm, a_server_that_dies_again_before_it_answered_rests) {
    auto fsm = in(state::ready);
    EXPECT_EQ(fsm.on_failed(start, "first"), action::start);
    fsm.on_started();
    EXPECT_EQ(fsm.on_failed(start, "second"), action::none);
    EXPECT_EQ(fsm.state(), state::resting);
    EXPECT_EQ(fsm.retry_at(), start + seconds(2));
}

TEST(server_fsm, an_answer_forgives_earlier_failures) {
    auto fsm = in(state::ready);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(fsm.on_failed(start, "died"), action::start);
        fsm.on_started();
        fsm.on_answered();
    }
}

}  // namespace
}  // namespace gateway::tools
