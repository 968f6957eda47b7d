#include "gateway/api/agent/socket.hpp"

#include <gmock/gmock.h>

#include "tests/gateway/api/agent/agent_fixture.hpp"
#include "tests/support/fake_websocket.hpp"
#include "tests/support/run_until.hpp"

namespace gateway::api::agent {
namespace {

using numbers = std::vector<int>;
using testing::HasSubstr;

class socket_test : public agent_fixture {
  protected:
    // A socket that is served until its peer is cut.
    struct peer {
        explicit peer(asio::io_context& io) : ws(io.get_executor()) {}
        test_support::fake_websocket ws;
        bool served = false;
    };

    std::shared_ptr<peer> connect() {
        auto made = std::make_shared<peer>(io);
        auto serve = [](std::shared_ptr<peer> whom, shared_session session, executor ex) -> awaitable<void> {
            agent_socket socket(ex, whom->ws, std::move(session));
            co_await socket.run();
            whom->served = true;
        };
        asio::co_spawn(io, serve(made, session, io.get_executor()), [](std::exception_ptr error) {
            if (error) std::rethrow_exception(error);
        });
        peers.push_back(made);
        settle();
        return made;
    }
    ~socket_test() override {
        for (auto& each : peers) each->ws.cut();
        for (auto& each : peers) EXPECT_TRUE(test_support::run_until(io, [&] { return each->served; }));
    }
    void settle() {
        io.restart();
        while (io.poll() > 0) {
        }
    }
    void send(peer& to, const std::string& method, const std::string& params = "{}") {
        to.ws.give(R"({"jsonrpc":"2.0","id":)" + std::to_string(++calls) + R"(,"method":")" + method +
                   R"(","params":)" + params + "}");
        settle();
    }
    std::vector<json> frames(const peer& of) const {
        std::vector<json> all;
        for (const auto& each : of.ws.written) all.push_back(json::parse(each.bytes));
        return all;
    }
    // The seqs of all notifications, in the order in which they came.
    numbers told(const peer& of) const {
        numbers seqs;
        for (const auto& each : frames(of))
            if (each.contains("method")) seqs.push_back(each["params"]["seq"]);
        return seqs;
    }
    json last_answer(const peer& of) const {
        json last;
        for (const auto& each : frames(of))
            if (each.contains("id")) last = each;
        return last;
    }
    static numbers from_to(int first, int last) {
        numbers all;
        for (int seq = first; seq <= last; ++seq) all.push_back(seq);
        return all;
    }

    std::shared_ptr<test_support::fake_agent_session> session = add_session();
    std::vector<std::shared_ptr<peer>> peers;
    int calls = 0;
};

TEST_F(socket_test, answers_execute_at_once_and_tells_the_cells_events) {
    auto agent = connect();
    send(*agent, "execute", R"({"code":"1+1"})");
    EXPECT_EQ(last_answer(*agent)["result"], json::parse(R"({"cell_id":"cell_1","seq":1})"));
    EXPECT_TRUE(session->executed.at(0).allow_stdin);
    auto cell = session->cell_at(0);
    session->start(*cell);
    session->print(*cell, "hi");
    session->finish(*cell);
    settle();
    EXPECT_EQ(told(*agent), from_to(1, 4));
    auto last = frames(*agent).back();
    EXPECT_EQ(last["method"], "cell_finished");
    EXPECT_EQ(last["params"]["status"], "ok");
    EXPECT_EQ(last["params"]["seq_last"], 4);
    for (const char* text : {"stdout", "stderr", "code", "result", "displays"})
        EXPECT_FALSE(last["params"].contains(text)) << text;
}

TEST_F(socket_test, tells_only_its_own_cells_before_attach) {
    auto first = connect();
    auto second = connect();
    send(*first, "execute", R"({"code":"a"})");
    send(*second, "execute", R"({"code":"b"})");
    session->print(*session->cell_at(0), "a");
    session->log().append(session->event("kernel_status"));
    settle();
    EXPECT_EQ(told(*first), (numbers{1, 3}));
    EXPECT_EQ(told(*second), (numbers{2}));
}

TEST_F(socket_test, attaches_from_the_beginning_from_a_seq_and_from_now) {
    auto cell = session->add_cell("x", sessions::origin::jupyter);
    for (int line = 0; line < 4; ++line) session->print(*cell, "x");
    auto all = connect(), some = connect(), none = connect();
    send(*all, "attach", R"({"after_seq":0})");
    EXPECT_EQ(last_answer(*all)["result"],
              json::parse(R"({"after_seq":0,"first_seq":1,"last_seq":5,"pending_input":null})"));
    send(*some, "attach", R"({"after_seq":3})");
    send(*none, "attach");
    session->print(*cell, "y");
    settle();
    EXPECT_EQ(told(*all), from_to(1, 6));
    EXPECT_EQ(told(*some), from_to(4, 6));
    EXPECT_EQ(told(*none), from_to(6, 6));
}

TEST_F(socket_test, refuses_to_attach_behind_the_newest_seq) {
    auto agent = connect();
    send(*agent, "attach", R"({"after_seq":1})");
    EXPECT_EQ(last_answer(*agent)["error"]["code"], -32602);
    EXPECT_THAT(last_answer(*agent)["error"]["message"], HasSubstr("newest seq of this session is 0"));
}

TEST_F(socket_test, tells_each_event_once_and_in_order_over_a_cut) {
    auto cell = session->add_cell("x", sessions::origin::agent);
    auto agent = connect();
    send(*agent, "attach", R"({"after_seq":0})");
    for (int line = 0; line < 10; ++line) session->print(*cell, "x");
    settle();
    auto before = told(*agent);
    agent->ws.cut();
    settle();
    for (int line = 0; line < 10; ++line) session->print(*cell, "y");
    auto again = connect();
    send(*again, "attach", R"({"after_seq":)" + std::to_string(before.back()) + "}");
    session->finish(*cell);
    settle();
    auto after = told(*again);
    before.insert(before.end(), after.begin(), after.end());
    EXPECT_EQ(before, from_to(1, 22));
}

TEST_F(socket_test, starts_again_where_attach_says_even_in_the_middle_of_a_batch) {
    auto cell = session->add_cell("x", sessions::origin::agent);
    for (int line = 0; line < 9; ++line) session->print(*cell, "x");
    auto agent = connect();
    agent->ws.stop_reading();
    send(*agent, "attach", R"({"after_seq":0})");
    send(*agent, "attach", R"({"after_seq":5})");
    agent->ws.start_reading();
    settle();
    auto all = told(*agent);
    ASSERT_GE(all.size(), 5u);
    EXPECT_EQ(numbers(all.end() - 5, all.end()), from_to(6, 10));
    EXPECT_EQ(frames(*agent)[frames(*agent).size() - 6]["id"], 2) << "nothing of before comes after the answer";
}

TEST_F(socket_test, merges_text_for_a_reader_that_lags_and_gives_the_seq_of_the_last_part) {
    auto cell = session->add_cell("x", sessions::origin::agent);
    for (int line = 0; line < 100; ++line) session->print(*cell, "x");
    auto agent = connect();
    send(*agent, "attach", R"({"after_seq":1})");
    auto only = frames(*agent).back();
    EXPECT_EQ(told(*agent), numbers{101});
    EXPECT_EQ(only["params"]["text"], std::string(100, 'x'));
}

TEST_F(socket_test, costs_a_slow_reader_only_its_cursor) {
    auto cell = session->add_cell("x", sessions::origin::agent);
    auto slow = connect(), fast = connect();
    send(*slow, "attach");
    send(*fast, "attach");
    slow->ws.stop_reading();
    for (int line = 0; line < 50; ++line) {
        session->print(*cell, "x");
        settle();
    }
    EXPECT_EQ(told(*fast), from_to(2, 51));
    EXPECT_LE(slow->ws.writing, 1);
    slow->ws.start_reading();
    settle();
    EXPECT_EQ(told(*slow), from_to(2, 51));
}

TEST_F(socket_test, tells_a_joined_cell_from_its_beginning) {
    auto first = connect();
    send(*first, "execute", R"({"code":"x","idempotency_key":"k"})");
    session->print(*session->cell_at(0), "x");
    session->finish(*session->cell_at(0));
    first->ws.cut();
    settle();
    auto again = connect();
    send(*again, "execute", R"({"code":"y"})");
    send(*again, "execute", R"({"code":"x","idempotency_key":"k"})");
    EXPECT_EQ(last_answer(*again)["result"]["cell_id"], "cell_1");
    EXPECT_EQ(told(*again), (numbers{4, 1, 2, 3}));
    session->print(*session->cell_at(1), "y");
    settle();
    EXPECT_EQ(told(*again), (numbers{4, 1, 2, 3, 5}));
}

TEST_F(socket_test, tells_of_a_gap) {
    session = registry.add({}, {.memory_bytes = 64u << 10, .read_keep_bytes = 8u << 10, .disk_bytes = 256u << 10});
    auto cell = session->add_cell("x", sessions::origin::agent);
    for (int line = 0; line < 1000; ++line) session->print(*cell, std::string(1000, 'x'));
    ASSERT_TRUE(test_support::run_until(io, [&] { return session->log().first_seq() > 1; }));
    auto agent = connect();
    send(*agent, "attach", R"({"after_seq":0})");
    ASSERT_FALSE(told(*agent).empty());
    auto gap = frames(*agent)[1];
    EXPECT_EQ(gap["method"], "gap");
    EXPECT_EQ(gap["params"]["from"], 1);
    EXPECT_EQ(gap["params"]["seq"], gap["params"]["to"]);
}

TEST_F(socket_test, closes_when_the_session_has_ended_and_all_was_told) {
    auto agent = connect();
    send(*agent, "attach");
    session->log().append(session->event("kernel_status"));
    session->forget_log();
    EXPECT_TRUE(test_support::run_until(io, [&] { return agent->served; }));
    EXPECT_EQ(told(*agent), numbers{1});
    ASSERT_TRUE(agent->ws.closed);
    EXPECT_EQ(agent->ws.closed->first, http::close_code::normal);
    EXPECT_EQ(agent->ws.closed->second, "session ended");
}

TEST_F(socket_test, closes_for_a_restart_when_the_gateway_ends_and_all_was_told) {
    auto agent = connect();
    send(*agent, "attach");
    session->log().append(session->event("kernel_status"));
    session->why = sessions::cell_reason::gateway_ended;
    session->log().end();
    EXPECT_TRUE(test_support::run_until(io, [&] { return agent->served; }));
    EXPECT_EQ(told(*agent), numbers{1});
    ASSERT_TRUE(agent->ws.closed);
    EXPECT_EQ(agent->ws.closed->first, http::close_code::service_restart);
}

TEST_F(socket_test, passes_calls_on_to_the_session) {
    auto agent = connect();
    send(*agent, "cancel", R"({"cell_id":"cell_1"})");
    EXPECT_EQ(session->cancelled, std::vector<std::string>{"cell_1"});
    send(*agent, "interrupt");
    EXPECT_EQ(session->interrupts, 1);
    EXPECT_EQ(last_answer(*agent)["result"]["id"], "ses_1");
    send(*agent, "restart");
    EXPECT_EQ(session->restarted, 1);
    send(*agent, "input", R"({"cell_id":"cell_1","value":"yes"})");
    EXPECT_EQ(session->inputs.at(0), (std::pair<std::string, std::string>("cell_1", "yes")));
    send(*agent, "complete", R"({"code":"äb","cursor_pos":1})");
    EXPECT_EQ(last_answer(*agent)["result"]["matches"][0], "abs");
    EXPECT_EQ(session->asked.second, 1);
    send(*agent, "inspect", R"({"code":"äb"})");
    EXPECT_EQ(session->asked.second, 2) << "the end, in code points";
}

TEST_F(socket_test, tells_its_status_with_the_input_that_waits) {
    session->prompt = sessions::input_prompt{"cell_1", "name? ", false, nullptr};
    session->log().append(session->event("kernel_status"));
    auto agent = connect();
    send(*agent, "status");
    auto status = last_answer(*agent)["result"];
    EXPECT_EQ(status["id"], "ses_1");
    EXPECT_EQ(status["last_seq"], 1);
    EXPECT_EQ(status["connections"]["agents"], 1);
    EXPECT_EQ(status["pending_input"], json::parse(R"({"cell_id":"cell_1","prompt":"name? ","password":false})"));
}

TEST_F(socket_test, says_what_is_wrong_with_a_call) {
    auto agent = connect();
    auto code_of = [&](const std::string& frame) {
        agent->ws.give(frame);
        settle();
        return last_answer(*agent)["error"]["code"].get<int>();
    };
    EXPECT_EQ(code_of("{"), -32700);
    EXPECT_EQ(code_of(R"({"id":1,"method":"status"})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"run"})"), -32601);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"execute"})"), -32602);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"execute","params":{"code":"x","tiemout_s":1}})"), -32602);
    EXPECT_EQ(last_answer(*agent)["error"]["data"]["code"], "unknown_field");
    EXPECT_THAT(last_answer(*agent)["error"]["message"], HasSubstr("tiemout_s"));
    session->refuses = failure{errc::no_input_requested, "no input() waits"};
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"input","params":{"cell_id":"c","value":"v"}})"), -32000);
    auto data = last_answer(*agent)["error"]["data"];
    EXPECT_EQ(data["code"], "no_input_requested");
    EXPECT_EQ(data["status"], 409);
    EXPECT_THAT(data["request_id"], testing::StartsWith("req_"));
    EXPECT_TRUE(session->executed.empty());
}

TEST_F(socket_test, takes_a_cursor_past_the_end_as_the_end_and_refuses_negative_ones) {
    auto agent = connect();
    for (const auto* method : {"complete", "inspect"}) {
        session->asked.second = -1;
        send(*agent, method, R"({"code":"aé","cursor_pos":99999999999})");
        EXPECT_EQ(session->asked.second, 2) << method;
        send(*agent, method, R"({"code":"aé","cursor_pos":1})");
        EXPECT_EQ(session->asked.second, 1) << method;
        send(*agent, method, R"({"code":"a","cursor_pos":-1})");
        EXPECT_EQ(last_answer(*agent)["error"]["code"], -32602) << method;
        EXPECT_EQ(session->asked.second, 1) << method;
    }
}

TEST_F(socket_test, answers_a_batch_as_one_and_a_notification_not_at_all) {
    auto agent = connect();
    agent->ws.give(R"([{"jsonrpc":"2.0","id":"a","method":"execute","params":{"code":"1"}},)"
                   R"({"jsonrpc":"2.0","method":"interrupt"},{"jsonrpc":"2.0","id":"b","method":"nothing"}])");
    agent->ws.give(R"({"jsonrpc":"2.0","method":"nothing"})");
    settle();
    auto answers = frames(*agent).at(0);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0]["id"], "a");
    EXPECT_EQ(answers[1]["error"]["code"], -32601);
    EXPECT_EQ(session->interrupts, 1);
    EXPECT_EQ(frames(*agent).size(), 2u) << "the batch's answers and cell_queued";
}

TEST_F(socket_test, stops_reading_calls_of_a_peer_that_reads_no_answers) {
    auto agent = connect();
    agent->ws.stop_reading();
    session->kernel_answer = R"({"pad":")" + std::string(1u << 20, 'x') + R"("})";
    for (int call = 0; call < 10; ++call) send(*agent, "complete", R"({"code":"a"})");
    session->asked = {"", 0};
    send(*agent, "complete", R"({"code":"later"})");
    EXPECT_EQ(session->asked.first, "");
    agent->ws.start_reading();
    settle();
    EXPECT_EQ(session->asked.first, "later");
    EXPECT_EQ(last_answer(*agent)["id"], 11);
}

TEST_F(socket_test, leaves_the_cells_running_when_it_closes) {
    auto agent = connect();
    send(*agent, "execute", R"({"code":"x"})");
    agent->ws.cut();
    settle();
    EXPECT_TRUE(agent->served);
    EXPECT_EQ(session->agent_sockets(), 0u);
    EXPECT_EQ(session->interrupts, 0);
    EXPECT_TRUE(session->cancelled.empty());
}

TEST_F(socket_test, tells_a_command_to_who_runs_it_from_its_beginning) {
    auto mine = connect();
    auto other = connect();
    send(*mine, "bash", R"({"command":"echo hi"})");
    EXPECT_EQ(last_answer(*mine)["result"], (json{{"command_id", "cmd_1"}, {"seq", 1}}));
    session->shell.print(*session->shell.all[0], "hi\n");
    session->shell.finish(*session->shell.all[0]);
    settle();
    EXPECT_EQ(told(*mine), from_to(1, 3));
    EXPECT_EQ(told(*other), numbers{});
    send(*other, "attach", R"({"after_seq":0})");
    EXPECT_EQ(told(*other), from_to(1, 3));
    auto output = frames(*mine)[2];
    EXPECT_EQ(output["method"], "command_output");
    EXPECT_EQ(output["params"], (json{{"seq", 2}, {"command_id", "cmd_1"}, {"name", "stdout"}, {"text", "hi\n"}}));
}

TEST_F(socket_test, leaves_the_stdin_of_a_command_open) {
    auto mine = connect();
    send(*mine, "bash", R"({"command":"cat"})");
    EXPECT_TRUE(session->shell.started.back().stdin_stays_open);
    send(*mine, "stdin", R"({"command_id":"cmd_1","data":"x","eof":true})");
    EXPECT_EQ(last_answer(*mine)["result"], (json{{"command_id", "cmd_1"}}));
    EXPECT_EQ(session->shell.inputs.back(), (std::pair<std::string, bool>("x", true)));
    send(*mine, "signal", R"({"command_id":"cmd_1","signal":"SIGTERM"})");
    EXPECT_EQ(session->shell.signals.size(), 1u);
    send(*mine, "signal", R"({"command_id":"cmd_1","signal":"SIGNONE"})");
    EXPECT_EQ(last_answer(*mine)["error"]["code"], -32602);
    send(*mine, "bash", R"({"command":"cat","stdin":"all"})");
    EXPECT_FALSE(session->shell.started.back().stdin_stays_open);
}

}  // namespace
}  // namespace gateway::api::agent
