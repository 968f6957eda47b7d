#include "kernel/interpreter/shell_queue.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace kernel {
namespace {

messaging::message request(const std::string& type) {
    return messaging::make_message(messaging::channel::shell, type, "client", "{}");
}

std::string type_of(const messaging::message& what) { return messaging::parse_header(what.header)->msg_type; }

bool readable(const shell_queue& queue) {
    pollfd waited{queue.event(), POLLIN, 0};
    return poll(&waited, 1, 0) == 1;
}

TEST(shell_queue, is_readable_exactly_while_something_waits) {
    shell_queue queue;
    EXPECT_FALSE(readable(queue));
    queue.put(request("first"));
    queue.put(request("second"));
    EXPECT_EQ(type_of(*queue.take()), "first");
    EXPECT_TRUE(readable(queue));
    EXPECT_EQ(type_of(*queue.take()), "second");
    EXPECT_FALSE(readable(queue));
    EXPECT_FALSE(queue.take());
}

TEST(shell_queue, gives_up_what_would_execute_and_keeps_the_rest) {
    shell_queue queue;
    for (const char* type : {"execute_request", "complete_request", "execute_request", "comm_msg"})
        queue.put(request(type));
    EXPECT_EQ(queue.take_executes().size(), 2U);
    EXPECT_EQ(type_of(*queue.take()), "complete_request");
    EXPECT_EQ(type_of(*queue.take()), "comm_msg");
    EXPECT_FALSE(queue.take());
}

TEST(shell_queue, stays_readable_and_takes_nothing_once_it_is_closed) {
    shell_queue queue;
    queue.put(request("before"));
    queue.close();
    queue.put(request("after"));
    EXPECT_TRUE(queue.closed());
    EXPECT_EQ(type_of(*queue.take()), "before");
    EXPECT_FALSE(queue.take());
    EXPECT_TRUE(readable(queue));
}

TEST(shell_queue, gives_what_waits_to_whoever_closes_it) {
    shell_queue queue;
    queue.put(request("first"));
    queue.put(request("second"));
    EXPECT_EQ(queue.close_and_take().size(), 2U);
    EXPECT_TRUE(queue.closed());
    EXPECT_FALSE(queue.take());
    EXPECT_TRUE(readable(queue));
}

}  // namespace
}  // namespace kernel
