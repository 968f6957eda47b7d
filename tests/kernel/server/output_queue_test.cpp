#include "kernel/server/output_queue.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "tests/kernel/server/fixture.hpp"

namespace kernel {
namespace {

using testing::ElementsAre;
using std::chrono_literals::operator""h;

class output_queue_test : public testing::Test {
  protected:
    // What may be sent now, as "stdout:text" or the type of a message.
    std::vector<std::string> take(output_queue::clock::time_point now = output_queue::clock::now()) {
        std::vector<std::string> taken;
        for (auto& each : queue.take(now, 1 << 20)) {
            unsent.remove(size_of(each));
            auto* text = std::get_if<stream_text>(&each);
            taken.push_back(text ? (text->which == output_stream::out ? "out:" : "err:") + text->text
                                 : type_of(std::get<messaging::message>(each)));
        }
        return taken;
    }
    std::vector<std::string> take_later() { return take(output_queue::clock::now() + 1h); }

    bool out(std::string_view text, const parent_text& parent = nullptr) {
        return queue.write(output_stream::out, text, parent);
    }
    bool err(std::string_view text, const parent_text& parent = nullptr) {
        return queue.write(output_stream::err, text, parent);
    }

    server_settings settings{.coalescing = 1h, .coalesced_bytes = 100};
    unsent_bytes unsent{1 << 20, [] {}};
    output_queue queue{settings, unsent};
};

TEST_F(output_queue_test, merges_text_that_follows_for_the_same_stream_and_parent) {
    EXPECT_TRUE(out("a", parent_called("p")));
    EXPECT_FALSE(out("b", parent_called("p")));  // equal, not the same object
    EXPECT_THAT(take(), ElementsAre());
    EXPECT_THAT(take_later(), ElementsAre("out:ab"));
}

TEST_F(output_queue_test, keeps_the_order_of_streams_and_parents) {
    out("1", parent_called("p"));
    err("2", parent_called("p"));
    out("3", parent_called("p"));
    out("4", parent_called("q"));
    out("5");
    EXPECT_THAT(take_later(), ElementsAre("out:1", "err:2", "out:3", "out:4", "out:5"));
}

TEST_F(output_queue_test, completes_text_before_any_message) {
    out("before");
    EXPECT_TRUE(queue.publish(output_of("status")));
    out("after");
    EXPECT_THAT(take(), ElementsAre("out:before", "status"));
    EXPECT_THAT(take_later(), ElementsAre("out:after"));
}

TEST_F(output_queue_test, completes_text_of_a_certain_size) {
    EXPECT_TRUE(out(std::string(60, 'a')));
    EXPECT_TRUE(out(std::string(60, 'b')));
    EXPECT_THAT(take(), ElementsAre("out:" + std::string(60, 'a') + std::string(60, 'b')));
}

TEST_F(output_queue_test, completes_text_when_it_is_flushed) {
    EXPECT_FALSE(queue.flush());
    out("a");
    EXPECT_TRUE(queue.flush());
    EXPECT_THAT(take(), ElementsAre("out:a"));
}

TEST_F(output_queue_test, is_due_when_the_oldest_text_has_waited_long_enough) {
    EXPECT_FALSE(queue.due());
    auto before = output_queue::clock::now();
    out("a");
    EXPECT_GE(queue.due(), before + 1h);
    EXPECT_LE(queue.due(), output_queue::clock::now() + 1h);
    queue.flush();
    EXPECT_LE(queue.due(), before);
}

TEST_F(output_queue_test, is_due_at_once_for_a_reply) {
    queue.send(output_of("execute_reply"));
    EXPECT_LE(queue.due(), output_queue::clock::now());
    EXPECT_EQ(queue.take_replies().size(), 1u);
    EXPECT_FALSE(queue.due());
}

TEST_F(output_queue_test, keeps_a_character_in_one_message) {
    out("a\xE2");
    queue.publish(output_of("status"));
    err("between");
    out("\x82\xAC"
        "b");
    EXPECT_THAT(take_later(), ElementsAre("out:a", "status", "err:between",
                                          "out:\u20ac"
                                          "b"));
}

TEST_F(output_queue_test, keeps_a_character_that_comes_byte_by_byte) {
    for (auto byte : {"\xF0", "\x9F", "\x98", "\x80"}) {
        out(byte);
        queue.flush();
    }
    EXPECT_THAT(take(), ElementsAre("out:\U0001F600"));
}

TEST_F(output_queue_test, replaces_half_a_character_that_another_parent_follows) {
    out("a\xE2", parent_called("p"));
    out("b", parent_called("q"));
    auto taken = queue.take(output_queue::clock::now() + 1h, 1 << 20);
    ASSERT_EQ(taken.size(), 3u);
    EXPECT_EQ(std::get<stream_text>(taken[1]).text, "\uFFFD");
    EXPECT_EQ(*std::get<stream_text>(taken[1]).parent, *parent_called("p"));
    EXPECT_EQ(std::get<stream_text>(taken[2]).text, "b");
}

TEST_F(output_queue_test, replaces_half_a_character_when_it_closes) {
    out("a\xE2");
    queue.close();
    EXPECT_THAT(take(), ElementsAre("out:a", "out:\uFFFD"));
    EXPECT_EQ(unsent.count(), 0u);
}

TEST_F(output_queue_test, takes_nothing_in_once_it_is_closed) {
    queue.close();
    EXPECT_FALSE(out("a"));
    EXPECT_FALSE(queue.publish(output_of("status")));
    EXPECT_FALSE(queue.send(output_of("execute_reply")));
    EXPECT_THAT(take_later(), ElementsAre());
    EXPECT_EQ(unsent.count(), 0u);
}

TEST_F(output_queue_test, gives_no_more_than_is_asked_for_but_one) {
    for (int index = 0; index < 5; ++index) queue.publish(output_of("status"));
    EXPECT_EQ(queue.take(output_queue::clock::now(), 4096).size(), 4u);
    queue.publish(output_of("status", std::string(10'000, ' ')));
    EXPECT_EQ(queue.take(output_queue::clock::now(), 2048).size(), 2u);
}

TEST_F(output_queue_test, counts_every_byte_until_it_is_taken) {
    out("a\xE2");
    err("bcd");
    EXPECT_EQ(unsent.count(), 4u);  // half a character is not to be sent yet
    out("\x82\xAC");
    EXPECT_EQ(unsent.count(), 7u);
    auto status = output_of("status");
    queue.publish(status);
    EXPECT_EQ(unsent.count(), 7u + status.size());
    take();
    EXPECT_EQ(unsent.count(), 0u);
}

TEST(unsent_bytes, tell_when_there_is_room_again) {
    int told = 0;
    unsent_bytes bytes(10, [&] { ++told; });
    bytes.add(25);
    EXPECT_FALSE(bytes.wait_for_room(std::chrono::milliseconds(0)));
    bytes.remove(15);
    EXPECT_EQ(told, 0);
    std::thread waiter([&] { EXPECT_TRUE(bytes.wait_for_room(patience)); });
    bytes.remove(1);
    waiter.join();
    bytes.remove(9);
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace kernel
