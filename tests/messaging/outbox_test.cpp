#include "messaging/outbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace messaging {
namespace {

std::string peek(outbox& from, bool with_messages = true) {
    std::array<iovec, 8> pieces;
    std::string all;
    auto count = from.gather(pieces, with_messages);
    for (std::size_t at = 0; at < count; ++at)
        all.append(static_cast<const char*>(pieces[at].iov_base), pieces[at].iov_len);
    return all;
}

TEST(outbox, gathers_what_waits_in_order) {
    outbox waiting;
    waiting.add("one");
    waiting.add("two");
    EXPECT_EQ(peek(waiting), "onetwo");
}

TEST(outbox, holds_messages_back_until_they_may_go) {
    outbox waiting;
    waiting.add("message");
    waiting.add_first("greeting");
    EXPECT_EQ(peek(waiting, false), "greeting");
    EXPECT_EQ(peek(waiting), "greetingmessage");
}

TEST(outbox, goes_on_where_a_write_stopped) {
    outbox waiting;
    waiting.add("one");
    waiting.add("two");
    waiting.wrote(4);
    EXPECT_EQ(peek(waiting), "wo");
    waiting.wrote(2);
    EXPECT_EQ(peek(waiting), "");
}

TEST(outbox, puts_a_command_between_messages_never_inside_one) {
    outbox waiting;
    waiting.add("one");
    waiting.add("two");
    waiting.wrote(1);
    waiting.add_first("PONG");
    EXPECT_TRUE(waiting.has_first());
    EXPECT_EQ(peek(waiting), "nePONGtwo");
}

TEST(outbox, keeps_commands_in_their_order) {
    outbox waiting;
    waiting.add("message");
    waiting.add_first("greeting");
    waiting.wrote(1);
    waiting.add_first("ready");
    EXPECT_EQ(peek(waiting), "reetingreadymessage");
}

TEST(outbox, begins_a_message_anew_on_another_connection) {
    outbox waiting;
    waiting.add("one");
    waiting.add("two");
    waiting.wrote(4);
    waiting.add_first("PONG");
    waiting.start_over();
    EXPECT_FALSE(waiting.has_first());
    EXPECT_EQ(peek(waiting), "two");
}

TEST(outbox, fills_no_more_than_it_is_given) {
    outbox waiting;
    for (int count = 0; count < 20; ++count) waiting.add("x");
    EXPECT_EQ(peek(waiting), "xxxxxxxx");
}

}  // namespace
}  // namespace messaging
