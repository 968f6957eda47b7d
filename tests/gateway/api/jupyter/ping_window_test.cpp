#include "gateway/api/jupyter/ping_window.hpp"

#include <gtest/gtest.h>

namespace gateway::api::jupyter {
namespace {

using std::chrono::milliseconds;

const ping_window::time_point start{std::chrono::seconds(1000)};

void write(ping_window& to, std::uint64_t seq, std::size_t bytes, milliseconds after = milliseconds(0)) {
    to.writing(seq, bytes);
    to.written(start + after);
}

TEST(ping_window, asks_nothing_while_nothing_was_written) {
    ping_window window;
    EXPECT_FALSE(window.due());
    EXPECT_EQ(window.in_doubt(), 0u);
}

TEST(ping_window, asks_a_hundred_milliseconds_after_the_first_unacknowledged_write) {
    ping_window window;
    write(window, 1, 10);
    write(window, 2, 10, milliseconds(90));
    EXPECT_EQ(window.due(), start + milliseconds(100));
}

TEST(ping_window, asks_at_once_after_sixty_four_kibibytes) {
    ping_window window;
    write(window, 1, ping_window::max_bytes - 1);
    EXPECT_EQ(window.due(), start + milliseconds(100));
    write(window, 2, 1, milliseconds(5));
    EXPECT_EQ(window.due(), start);
}

TEST(ping_window, asks_for_the_last_whole_message_and_then_rests) {
    ping_window window;
    write(window, 7, 10);
    window.writing(8, 10);
    EXPECT_EQ(window.take_ping(), "seq 7");
    EXPECT_FALSE(window.due());
    window.written(start);
    EXPECT_EQ(window.take_ping(), "seq 8");
}

TEST(ping_window, does_not_count_messages_that_are_not_in_the_log) {
    ping_window window;
    write(window, 0, 1u << 20);
    EXPECT_FALSE(window.due());
}

TEST(ping_window, takes_a_pong_only_for_what_it_asked) {
    ping_window window;
    write(window, 7, 10);
    window.take_ping();
    write(window, 8, 10);
    EXPECT_EQ(window.pong("seq 7"), 7u);
    for (const char* other : {"", "keep-alive", "seq ", "seq 8", "seq 7x", "seq -1", "seq 99999999999999999999"})
        EXPECT_FALSE(window.pong(other)) << other;
}

TEST(ping_window, doubts_the_message_whose_write_did_not_end) {
    ping_window window;
    write(window, 7, 10);
    EXPECT_EQ(window.in_doubt(), 0u);
    window.writing(8, 10);
    EXPECT_EQ(window.in_doubt(), 8u);
}

TEST(ping_window, doubts_a_large_message_until_it_is_acknowledged) {
    ping_window window;
    write(window, 9, ping_window::large_message + 1);
    EXPECT_TRUE(window.large_in_doubt());
    EXPECT_EQ(window.in_doubt(), 9u);
    EXPECT_EQ(window.pong(window.take_ping()), 9u);
    EXPECT_FALSE(window.large_in_doubt());
    EXPECT_EQ(window.in_doubt(), 0u);
}

TEST(ping_window, an_earlier_pong_does_not_clear_a_large_message) {
    ping_window window;
    write(window, 8, 10);
    auto earlier = window.take_ping();
    write(window, 9, ping_window::large_message + 1);
    EXPECT_EQ(window.pong(earlier), 8u);
    EXPECT_TRUE(window.large_in_doubt());
}

TEST(ping_window, a_peer_that_acknowledges_nothing_is_behind_until_it_does) {
    ping_window window;
    write(window, 1, ping_window::max_unacknowledged);
    auto asked = window.take_ping();
    EXPECT_FALSE(window.is_behind());
    write(window, 2, 1);
    EXPECT_TRUE(window.is_behind());
    EXPECT_EQ(window.pong(asked), 1u);
    EXPECT_FALSE(window.is_behind());
}

}  // namespace
}  // namespace gateway::api::jupyter
