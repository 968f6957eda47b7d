#include "gateway/kernels/pool_shelf.hpp"

#include <gtest/gtest.h>

namespace gateway::kernels {
namespace {

using namespace std::chrono_literals;

const pool_clock::time_point start{1h};

pool_settings backing_off() {
    pool_settings made;
    made.first_backoff = 1s;
    made.longest_backoff = 5s;
    return made;
}

TEST(pool_shelf_test, failures_in_a_row_are_waited_for_ever_longer_up_to_a_limit) {
    pool_shelf shelf({"x", 1}, backing_off());
    auto now = start;
    for (auto wanted : {1s, 2s, 4s, 5s, 5s}) {
        shelf.failed(now);
        EXPECT_EQ(shelf.next_start() - now, wanted);
        now = shelf.next_start();
    }
}

TEST(pool_shelf_test, a_failure_after_a_long_peace_is_a_first_one) {
    pool_shelf shelf({"x", 1}, backing_off());
    shelf.failed(start);
    shelf.failed(start + 1s);
    shelf.failed(start + 1h);
    EXPECT_EQ(shelf.next_start() - (start + 1h), 1s);
}

TEST(pool_shelf_test, a_hand_out_holds_the_next_start_but_never_shortens_a_back_off) {
    pool_shelf shelf({"x", 1}, backing_off());
    shelf.was_taken(start, 250ms);
    EXPECT_EQ(shelf.next_start(), start + 250ms);
    shelf.failed(start);
    shelf.was_taken(start, 250ms);
    EXPECT_EQ(shelf.next_start(), start + 1s);
}

TEST(pool_shelf_test, kernels_that_were_started_together_fail_once) {
    pool_shelf shelf({"x", 4}, backing_off());
    for (auto after : {0ms, 1ms, 2ms}) shelf.failed(start + after);
    EXPECT_EQ(shelf.next_start(), start + 1s);
}

TEST(pool_shelf_test, only_variables_that_programs_read_later_can_be_changed_later) {
    EXPECT_TRUE(can_change_later({}, {{"A", "1"}}));
    EXPECT_TRUE(can_change_later({{"A", "1"}}, {}));
    EXPECT_TRUE(can_change_later({{"PYTHONPATH", "x"}}, {{"PYTHONPATH", "x"}, {"B", "2"}}));
    EXPECT_FALSE(can_change_later({{"PYTHONPATH", "x"}}, {}));
    EXPECT_FALSE(can_change_later({}, {{"PYTHONPATH", "x"}}));
    EXPECT_FALSE(can_change_later({{"TZ", "UTC"}}, {{"TZ", "CET"}}));
}

}  // namespace
}  // namespace gateway::kernels
