#include "kernel/interpreter/replies.hpp"

#include <gtest/gtest.h>

#include "messaging/json_members.hpp"

namespace kernel {
namespace {

messaging::message request() {
    auto made = messaging::make_message(messaging::channel::control, "interrupt_request", "client", "{}");
    made.identities = {"route"};
    return made;
}

TEST(replies, are_named_after_their_request) {
    EXPECT_EQ(reply_type("execute_request"), "execute_reply");
    EXPECT_EQ(reply_type("odd"), "odd_reply");
}

TEST(replies, go_to_the_client_on_the_channel_of_the_request) {
    auto asked = request();
    auto made = make_reply(asked, "interrupt_reply", "ours", R"({"status":"ok"})");
    EXPECT_EQ(made.where, messaging::channel::control);
    EXPECT_EQ(made.identities, asked.identities);
    EXPECT_EQ(made.parent_header, asked.header);
    messaging::json_members header(made.header);
    EXPECT_EQ(header.text("session"), "ours");
    EXPECT_EQ(header.text("version"), "5.5");
}

TEST(replies, publish_the_state_under_the_request) {
    auto asked = request();
    auto made = make_status(asked, "ours", "busy");
    EXPECT_EQ(made.where, messaging::channel::iopub);
    EXPECT_EQ(made.identities, std::vector<std::string>{"kernel.ours.status"});
    EXPECT_EQ(made.content, R"({"execution_state":"busy"})");
    EXPECT_EQ(made.parent_header, asked.header);
}

TEST(replies, quote_what_an_error_says) {
    auto text = error_content("KeyError", "no \"x\"");
    messaging::json_members content(text);
    EXPECT_EQ(content.text("status"), "error");
    EXPECT_EQ(content.text("evalue"), "no \"x\"");
    EXPECT_EQ(content.value("traceback"), "[]");
}

}  // namespace
}  // namespace kernel
