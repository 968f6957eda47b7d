#include "kernel/server/question_queue.hpp"

#include <gmock/gmock.h>

#include "messaging/message.hpp"

namespace kernel {
namespace {

using testing::ElementsAre;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class question_queue_test : public testing::Test {
  protected:
    // Returns its msg_id.
    std::string add(std::string content) {
        auto made =
            messaging::make_message(messaging::channel::stdin_channel, "input_request", "k", std::move(content));
        auto id = messaging::parse_header(made.header)->msg_id;
        queue.add(std::move(made), now);
        return id;
    }
    // What is offered now; all of it is taken, or nothing.
    std::vector<std::string> offer(bool taken) {
        std::vector<std::string> offered;
        queue.offer(now, [&](const messaging::message& what) {
            offered.push_back(what.content);
            return taken;
        });
        return offered;
    }

    question_queue queue;
    question_queue::clock::time_point now{};
};

TEST_F(question_queue_test, offers_each_at_once_and_in_order) {
    EXPECT_FALSE(queue.due());
    add("first");
    add("second");
    EXPECT_EQ(queue.due(), now);
    EXPECT_THAT(offer(true), ElementsAre("first", "second"));
    EXPECT_FALSE(queue.due());
}

TEST_F(question_queue_test, offers_again_what_was_not_taken) {
    add("asked");
    EXPECT_THAT(offer(false), ElementsAre("asked"));
    EXPECT_EQ(queue.due(), now + 10ms);
    EXPECT_THAT(offer(true), ElementsAre());
    now += 10ms;
    EXPECT_THAT(offer(true), ElementsAre("asked"));
    EXPECT_FALSE(queue.due());
}

TEST_F(question_queue_test, offers_less_often_what_has_waited_long) {
    add("asked");
    now += 300ms;
    offer(false);
    EXPECT_EQ(queue.due(), now + 300ms);
    now += 60s;
    offer(false);
    EXPECT_EQ(queue.due(), now + 1s);
}

TEST_F(question_queue_test, forgets_what_was_withdrawn) {
    auto id = add("given up");
    add("wanted");
    queue.withdraw(id);
    EXPECT_THAT(offer(true), ElementsAre("wanted"));
}

}  // namespace
}  // namespace kernel
