#include "kernel/interpreter/request_dispatcher.hpp"

#include "messaging/json_members.hpp"
#include "tests/kernel/interpreter/served.hpp"

namespace kernel {
namespace {

// Answers as Python would, and keeps what it was asked.
class scripted_answers final : public answers {
  public:
    void enter(const messaging::message&) override { ++inside; }
    void leave() override { --inside; }
    int next_count() override { return 7; }
    std::string execute(const cell& what) override {
        executed = what;
        return execute_reply;
    }
    std::string complete(const std::string& code, int at) override {
        return R"({"status":"ok","matches":[],"code":")" + code + R"(","at":)" + std::to_string(at) + "}";
    }
    std::string inspect(const std::string&, int, int) override { return R"({"status":"ok","found":false})"; }
    std::string is_complete(const std::string&) override { return R"({"status":"incomplete","indent":"  "})"; }
    std::string history(const std::string& content) override { return R"({"status":"ok","asked":)" + content + "}"; }
    std::string info() override { return R"({"status":"ok","protocol_version":"5.5"})"; }
    std::optional<std::string> handle(const std::string& type, const messaging::message&) override {
        if (type == "comm_msg") return std::nullopt;
        return R"({"status":"ok","handled":")" + type + "\"}";
    }

    cell executed;
    std::string execute_reply = R"({"status":"ok","execution_count":7})";
    int inside = 0;
};

class request_dispatcher_test : public served {
  protected:
    void handle(const std::string& type, std::string content) {
        subscribe();
        send(type, std::move(content));
        dispatcher.handle(next_request());
    }

    scripted_answers who;
    shell_queue queue;
    request_dispatcher dispatcher{*server, who, queue, "ours"};
};

TEST_F(request_dispatcher_test, runs_a_cell_between_busy_and_idle) {
    handle("execute_request", R"({"code":"1+1","user_expressions":{"a":"b"},"allow_stdin":false})");
    EXPECT_TRUE(receives_types({"busy", "execute_input", "idle"}));
    EXPECT_EQ(who.executed.code, "1+1");
    EXPECT_EQ(who.executed.user_expressions, R"({"a":"b"})");
    EXPECT_FALSE(who.executed.allow_stdin);
    EXPECT_TRUE(who.executed.store_history);
    EXPECT_EQ(find("execute_reply").content, who.execute_reply);
    EXPECT_EQ(messaging::json_members(find("execute_input").content).integer("execution_count"), 7);
    EXPECT_EQ(find("execute_input").parent_header, sent.header);
    EXPECT_EQ(who.inside, 0);
}

TEST_F(request_dispatcher_test, publishes_no_input_of_a_silent_cell) {
    handle("execute_request", R"({"code":"1","silent":true})");
    EXPECT_TRUE(receives_types({"busy", "idle"}));
    EXPECT_TRUE(who.executed.silent);
    EXPECT_FALSE(who.executed.store_history);
}

TEST_F(request_dispatcher_test, sends_the_reply_as_python_wrote_it) {
    who.execute_reply = R"({ "status" : "ok", "payload": [1.0, 1e400, "\u00e9"] })";
    handle("execute_request", R"({"code":""})");
    EXPECT_EQ(find("execute_reply").content, who.execute_reply);
}

TEST_F(request_dispatcher_test, aborts_the_cells_that_wait_behind_a_failed_one) {
    who.execute_reply = R"({"status":"error","ename":"E","evalue":"","traceback":[]})";
    subscribe();
    send("execute_request", R"({"code":"fails"})");
    auto failing = next_request();
    send("execute_request", R"({"code":"waits"})");
    queue.put(next_request());
    send("complete_request", R"({"code":"c","cursor_pos":1})");
    queue.put(next_request());
    dispatcher.handle(failing);
    ASSERT_TRUE(receives([&] { return count("execute_reply") == 2; }));
    std::vector<std::string> states;
    for (const auto& each : received)
        if (messaging::parse_header(each.header)->msg_type == "execute_reply")
            states.push_back(messaging::json_members(each.content).text("status"));
    EXPECT_EQ(states, (std::vector<std::string>{"error", "aborted"}));
    EXPECT_TRUE(receives([&] { return types().size() == 5; }));
    EXPECT_EQ(messaging::parse_header(queue.take()->header)->msg_type, "complete_request");
}

TEST_F(request_dispatcher_test, leaves_the_cells_that_wait_when_the_client_says_so) {
    who.execute_reply = R"({"status":"error","ename":"E","evalue":"","traceback":[]})";
    queue.put(messaging::make_message(messaging::channel::shell, "execute_request", "client", "{}"));
    handle("execute_request", R"({"code":"fails","stop_on_error":false})");
    find("execute_reply");
    EXPECT_TRUE(queue.take());
}

TEST_F(request_dispatcher_test, passes_positions_on) {
    handle("complete_request", R"({"code":"abc","cursor_pos":2})");
    auto content = find("complete_reply").content;
    messaging::json_members reply(content);
    EXPECT_EQ(reply.text("code"), "abc");
    EXPECT_EQ(reply.integer("at"), 2);
}

TEST_F(request_dispatcher_test, asks_for_history_with_the_whole_request) {
    for (const char* access : {"tail", "range", "search"}) {
        received.clear();
        send("history_request", std::string(R"({"hist_access_type":")") + access + R"(","n":3,"output":true})");
        dispatcher.handle(next_request());
        auto content = find("history_reply").content;
        EXPECT_NE(content.find(R"("n":3)"), std::string::npos) << content;
    }
}

TEST_F(request_dispatcher_test, hands_everything_else_to_python) {
    handle("comm_info_request", "{}");
    EXPECT_NE(find("comm_info_reply").content.find("comm_info_request"), std::string::npos);
}

TEST_F(request_dispatcher_test, gives_a_comm_message_its_states_and_no_reply) {
    handle("comm_msg", R"({"comm_id":"c","data":{}})");
    EXPECT_TRUE(receives_types({"busy", "idle"}));
    EXPECT_EQ(received.size(), 2U);
}

TEST_F(request_dispatcher_test, answers_content_that_is_no_object) {
    handle("execute_request", "[1]");
    EXPECT_EQ(messaging::json_members(find("execute_reply").content).text("ename"), "ValueError");
    EXPECT_TRUE(receives_types({"busy", "idle"}));
}

TEST_F(request_dispatcher_test, answers_fields_of_a_wrong_type_without_a_word_on_stderr) {
    testing::internal::CaptureStderr();
    handle("execute_request", R"({"code":7})");
    auto content = find("execute_reply").content;
    EXPECT_EQ(messaging::json_members(content).text("evalue"), "\"code\" of execute_request must be a string");
    EXPECT_TRUE(receives_types({"busy", "idle"}));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(request_dispatcher_test, takes_null_for_an_absent_field) {
    handle("execute_request", R"({"code":"1","silent":null,"store_history":null,"stop_on_error":null})");
    EXPECT_EQ(find("execute_reply").content, who.execute_reply);
    EXPECT_TRUE(who.executed.store_history);
}

TEST_F(request_dispatcher_test, takes_code_with_half_a_character) {
    handle("execute_request", R"({"code":"'\ud800'"})");
    EXPECT_EQ(messaging::json_members(find("execute_reply").content).text("status"), "ok");
    EXPECT_EQ(who.executed.code, "'\xEF\xBF\xBD'");
}

}  // namespace
}  // namespace kernel
