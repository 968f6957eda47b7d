#include "gateway/api/agent/notification.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::api::agent {
namespace {

using nlohmann::json;
using sessions::entry;
using sessions::entry_kind;

entry message(const std::string& type, std::string content, messaging::channel where = messaging::channel::iopub) {
    entry made;
    made.seq = 7;
    made.type = type;
    made.cell_id = "cell_1";
    made.message =
        std::make_shared<const messaging::message>(messaging::make_message(where, type, "kernel", std::move(content)));
    return made;
}

json told(entry what) {
    auto made = make_notification(std::make_shared<const entry>(std::move(what)));
    std::string text;
    for (const auto& each : made.parts()) text.append(static_cast<const char*>(each.data()), each.size());
    EXPECT_EQ(text, made.text());
    auto parsed = json::parse(text);
    EXPECT_EQ(parsed["jsonrpc"], "2.0");
    EXPECT_FALSE(parsed.contains("id"));
    return parsed;
}

TEST(notification, puts_jupyters_content_beside_cell_and_type) {
    auto made = told(message("stream", " { \"name\":\"stdout\", \"text\":\"a\\n\"} "));
    EXPECT_EQ(made["method"], "output");
    EXPECT_EQ(made["params"],
              json::parse(R"({"seq":7,"cell_id":"cell_1","type":"stream","name":"stdout","text":"a\n"})"));
}

TEST(notification, has_no_cell_for_output_whose_parent_is_none) {
    auto what = message("display_data", R"({"data":{}})");
    what.cell_id.clear();
    EXPECT_TRUE(told(what)["params"]["cell_id"].is_null());
}

TEST(notification, stands_with_empty_content) {
    EXPECT_EQ(told(message("clear_output", "{}"))["params"],
              json::parse(R"({"seq":7,"cell_id":"cell_1","type":"clear_output"})"));
    EXPECT_EQ(told(message("clear_output", "{ }"))["params"]["type"], "clear_output");
}

TEST(notification, carries_buffers_as_base64) {
    auto what = message("display_data", R"({"data":{}})");
    auto with_buffers = *what.message;
    with_buffers.buffers = {std::string("\xff\xfe\x00", 3), "", "a", "ab"};
    what.message = std::make_shared<const messaging::message>(std::move(with_buffers));
    EXPECT_EQ(told(what)["params"]["buffers"], json::parse(R"(["//4A","","YQ==","YWI="])"));
}

TEST(notification, mends_content_that_no_text_frame_could_carry) {
    EXPECT_EQ(told(message("stream", "{\"name\":\"stdout\",\"text\":\"a\xff\"}"))["params"]["text"], "a\xEF\xBF\xBD");
    EXPECT_EQ(told(message("stream", "not JSON"))["params"]["type"], "stream");
}

TEST(notification, tells_of_a_prompt) {
    auto made =
        told(message("input_request", R"({"prompt":"name? ","password":false})", messaging::channel::stdin_channel));
    EXPECT_EQ(made["method"], "input_request");
    EXPECT_EQ(made["params"], json::parse(R"({"seq":7,"cell_id":"cell_1","prompt":"name? ","password":false})"));
}

TEST(notification, tells_of_an_event_with_its_own_fields) {
    entry event;
    event.seq = 9;
    event.kind = entry_kind::event;
    event.type = "kernel_status";
    event.body = R"({"state":"dead","reason":"oom"})";
    auto made = told(event);
    EXPECT_EQ(made["method"], "kernel_status");
    EXPECT_EQ(made["params"], json::parse(R"({"seq":9,"state":"dead","reason":"oom"})"));
    event.body = "{}";
    EXPECT_EQ(told(event)["params"], json::parse(R"({"seq":9})"));
}

TEST(notification, tells_of_a_gap) {
    entry gap;
    gap.kind = entry_kind::gap;
    gap.gap_from = 3;
    gap.seq = 8;
    auto made = told(gap);
    EXPECT_EQ(made["method"], "gap");
    EXPECT_EQ(made["params"], json::parse(R"({"seq":8,"from":3,"to":8})"));
}

TEST(notification, is_made_of_outputs_prompts_and_events_alone) {
    for (const char* type :
         {"stream", "display_data", "update_display_data", "execute_result", "error", "clear_output"})
        EXPECT_TRUE(is_for_agents(message(type, "{}"))) << type;
    for (const char* type : {"status", "execute_input", "comm_msg", "debug_event", "iopub_welcome"})
        EXPECT_FALSE(is_for_agents(message(type, "{}"))) << type;
    EXPECT_FALSE(is_for_agents(message("execute_reply", "{}", messaging::channel::shell)));
    EXPECT_TRUE(is_for_agents(message("input_request", "{}", messaging::channel::stdin_channel)));
    auto note = message("stream", "{}");
    note.client = "a Jupyter client";
    EXPECT_FALSE(is_for_agents(note));
}

}  // namespace
}  // namespace gateway::api::agent
