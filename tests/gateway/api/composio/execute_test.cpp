#include <gmock/gmock.h>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class composio_execute : public composio_fixture {
  protected:
    void SetUp() override {
        composio_fixture::SetUp();
        create();
    }
    std::string call_of(const std::string& slug, const std::string& arguments = "{}") {
        return R"({"tool_slug":")" + slug + R"(","arguments":)" + arguments + "}";
    }
    std::string cell_of(const std::string& code, const std::string& more = "") {
        return call_of("COMPOSIO_REMOTE_WORKBENCH", R"({"code_to_execute":")" + code + "\"" + more + "}");
    }
    const std::string bash = "COMPOSIO_REMOTE_BASH_TOOL";
    connection begin(const std::string& body, const std::string& headers = "") {
        return open("POST", base + "/" + id + "/execute", body, headers);
    }
    // The server has seen that a client is gone, and has read what another sent.
    void settle() {
        for (int round = 0; round < 20; ++round) {
            io.restart();
            io.poll();
        }
    }
};

TEST_F(composio_execute, runs_a_cell_and_sends_spaces_meanwhile) {
    auto client = begin(cell_of("1+1", R"(,"session_id":"once","current_step":"ADD","current_step_metric":"1/2")"));
    auto early = client.read_until("\r\n\r\n  ");
    EXPECT_THAT(early, HasSubstr("200 OK"));
    auto cell = session()->cell_at(0);
    session()->start(*cell);
    session()->print(*cell, "hello");
    cell->result = sessions::cell_output{session()->output(*cell, "execute_result", R"({"data":{"text/plain":"2"}})"),
                                         "execute_result", ""};
    session()->finish(*cell);
    auto answer = client.finish();
    ASSERT_TRUE(answer.body.is_object()) << answer.text;
    EXPECT_TRUE(answer.body["error"].is_null());
    EXPECT_THAT(answer.body["log_id"].get<std::string>(), StartsWith("log_"));
    const auto& data = answer.body["data"];
    EXPECT_EQ(data["results"], "2");
    EXPECT_EQ(data["stdout"], "hello");
    EXPECT_EQ(data["stderr"], "");
    EXPECT_EQ(data["error"], "");
    EXPECT_EQ(data["session"]["id"], "once");
    EXPECT_EQ(data["sandbox_id_suffix"].get<std::string>().size(), 4u);
    EXPECT_EQ(session()->executed[0].current_step, "ADD");
    EXPECT_EQ(session()->executed[0].current_step_metric, R"("1/2")");
    EXPECT_FALSE(session()->executed[0].allow_stdin);
}

TEST_F(composio_execute, runs_a_command) {
    auto client = begin(call_of(bash, R"({"command":"ls -l | wc","session_id":"fish"})"));
    client.read_until("\r\n\r\n  ");
    ASSERT_EQ(session()->shell.started.size(), 1u);
    EXPECT_EQ(session()->shell.started[0].text, "ls -l | wc");
    EXPECT_FALSE(session()->shell.started[0].stdin_stays_open);
    auto& command = *session()->shell.all[0];
    command.out = {"1 2 3\n", 6, 1, ""};
    command.err = {"head", 50'000, 700, "/mnt/files/.composio/output/cmd_1.stderr.txt"};
    session()->shell.finish(command, 3);
    auto answer = client.finish();
    EXPECT_TRUE(answer.body["error"].is_null()) << answer.text;
    const auto& data = answer.body["data"];
    EXPECT_EQ(data["stdout"], "1 2 3\n");
    EXPECT_EQ(data["stdoutLines"], 1);
    EXPECT_THAT(data["stderr"].get<std::string>(),
                HasSubstr("Run 'cat /mnt/files/.composio/output/cmd_1.stderr.txt' to view the full output"));
    EXPECT_EQ(data["stderrLines"], 700);
    EXPECT_EQ(data["stderr_file_path"], "/mnt/files/.composio/output/cmd_1.stderr.txt");
    EXPECT_FALSE(data.contains("stdout_file_path"));
    EXPECT_EQ(data["exit_code"], 3);
    EXPECT_EQ(data["session"]["id"], "fish");
}

TEST_F(composio_execute, tells_why_a_command_was_stopped) {
    auto client = begin(call_of(bash, R"({"command":"sleep 999"})"));
    client.read_until("\r\n\r\n  ");
    auto& command = *session()->shell.all.at(0);
    session()->shell.finish(command);
    command.status = sessions::cell_status::timeout;
    command.exit_code.reset();
    command.signal = 15;
    command.duration = milliseconds(180'000);
    auto answer = client.finish();
    EXPECT_THAT(answer.body["error"].get<std::string>(), HasSubstr("deadline after 180.0 s"));
    EXPECT_EQ(answer.body["data"]["signal"], "SIGTERM");
}

TEST_F(composio_execute, refuses_a_command_that_cannot_be_one) {
    const std::string nothing_told = "Validation error: Required at \"command\"";
    EXPECT_EQ(post("/execute", call_of(bash)).error(), nothing_told);
    EXPECT_EQ(post("/execute", call_of(bash, R"({"command":""})")).status, 400);
    EXPECT_EQ(post("/execute", call_of(bash, R"({"command":"a\u0000b"})")).status, 400);
    EXPECT_EQ(post("/execute", call_of(bash, R"({"command":")" + std::string(131'072, 'x') + "\"}")).status, 400);
    EXPECT_TRUE(session()->shell.started.empty());
}

TEST_F(composio_execute, tells_loudly_what_code_raised) {
    auto client = begin(cell_of("1/0"));
    wait_for_cells(1);
    auto cell = session()->cell_at(0);
    cell->error = sessions::cell_error{"ZeroDivisionError", "division by zero", {"\x1b[31mTraceback\x1b[0m"}};
    session()->finish(*cell, sessions::cell_status::error);
    auto answer = client.finish();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body["error"], "ZeroDivisionError: division by zero");
    EXPECT_EQ(answer.body["data"]["error"], "ZeroDivisionError: division by zero");
    EXPECT_EQ(answer.body["data"]["stderr"], "Traceback\n");
}

TEST_F(composio_execute, tells_what_a_deadline_left) {
    auto client = begin(cell_of("while True: pass", R"(,"timeout":700)"));
    wait_for_cells(1);
    EXPECT_EQ(session()->executed[0].timeout, milliseconds(180'000));
    auto cell = session()->cell_at(0);
    cell->kernel_restarted = true;
    cell->duration = milliseconds(180'000);
    ++session()->restarted;
    session()->finish(*cell, sessions::cell_status::timeout);
    EXPECT_THAT(client.finish().body["error"].get<std::string>(),
                HasSubstr("after 180.0 s and was stopped: the sandbox was restarted, variables are gone"));
}

TEST_F(composio_execute, tells_a_restart_once) {
    auto run = [this](std::size_t which) {
        auto client = begin(cell_of("1"));
        wait_for_cells(which + 1);
        session()->finish(*session()->cell_at(which));
        return client.finish().body["data"];
    };
    auto first = run(0);
    EXPECT_EQ(first["stderr"], "");
    ++session()->restarted;
    auto second = run(1);
    EXPECT_THAT(second["stderr"].get<std::string>(), HasSubstr("was restarted since the last call"));
    EXPECT_NE(first["sandbox_id_suffix"], second["sandbox_id_suffix"]);
    EXPECT_EQ(run(2)["stderr"], "");
}

TEST_F(composio_execute, says_where_the_rest_of_a_long_text_is) {
    auto client = begin(cell_of("1"));
    wait_for_cells(1);
    auto cell = session()->cell_at(0);
    cell->out = sessions::kept_text{"head", 50'000, 1, "/mnt/files/.composio/output/cell_1.stdout.txt"};
    const std::string large(50'000, 'x');
    cell->result =
        sessions::cell_output{session()->output(*cell, "execute_result", R"({"data":{"text/plain":")" + large + "\"}}"),
                              "execute_result", ""};
    session()->finish(*cell);
    auto data = client.finish().body["data"];
    EXPECT_EQ(data["stdout"],
              "head\n... (output truncated, full output saved to: "
              "/mnt/files/.composio/output/cell_1.stdout.txt)\nTo view the full output, run code: "
              "open('/mnt/files/.composio/output/cell_1.stdout.txt').read()");
    EXPECT_EQ(data["stdout_file_path"], "/mnt/files/.composio/output/cell_1.stdout.txt");
    EXPECT_THAT(data["results"].get<std::string>(), StartsWith(std::string(40'000, 'x') + "\n... (output"));
    EXPECT_EQ(data["results_file_path"], "/mnt/files/.composio/output/cell_1.result.txt");
}

TEST_F(composio_execute, checks_everything_before_the_headers) {
    const std::pair<std::string, int> bad[] = {
        {"{}", 400},
        {R"({"tool_slug":7})", 400},
        {R"({"tool_slug":"DEMO_ADD","arguments":[]})", 400},
        {R"({"tool_slug":"DEMO_ADD","account":7})", 400},
        {call_of("COMPOSIO_REMOTE_WORKBENCH"), 400},
        {call_of("COMPOSIO_REMOTE_WORKBENCH", R"({"code_to_execute":7})"), 400},
        {call_of("COMPOSIO_REMOTE_WORKBENCH", R"({"code_to_execute":"1","timeout":-1})"), 400},
        {call_of("COMPOSIO_MULTI_EXECUTE_TOOL", R"({"tools":[{}]})"), 400},
        {call_of("COMPOSIO_SEARCH_TOOLS"), 400},
        {call_of("DEMO_NOTHING"), 404}};
    for (const auto& [body, status] : bad) EXPECT_EQ(post("/execute", body).status, status) << body;
    EXPECT_EQ(post("/execute", call_of("COMPOSIO_REMOTE_WORKBENCH")).error(),
              R"(Validation error: Required at "code_to_execute")");
    EXPECT_TRUE(session()->executed.empty());
}

TEST_F(composio_execute, calls_a_toolkits_tool) {
    auto good = post("/execute", call_of(" demo_add ", R"({"a":2,"b":3})")).body;
    EXPECT_EQ(good["data"], (json{{"sum", 5}}));
    EXPECT_TRUE(good["error"].is_null());
    auto failed = post("/execute", call_of("DEMO_FAIL"));
    EXPECT_EQ(failed.status, 200);
    EXPECT_EQ(failed.body["error"], "it is broken");
    EXPECT_TRUE(failed.body["data"].is_object());
}

TEST_F(composio_execute, takes_meta_tools_alone_under_their_older_path) {
    EXPECT_EQ(post("/execute_meta", R"({"slug":"DEMO_ADD"})").status, 400);
    auto found = post("/execute_meta",
                      R"({"slug":"COMPOSIO_GET_TOOL_SCHEMAS","arguments":{"tool_slugs":["demo_add","DEMO_AD"]}})");
    const auto& data = found.body["data"];
    EXPECT_TRUE(data["tool_schemas"]["DEMO_ADD"]["input_schema"]["properties"].contains("a"));
    EXPECT_EQ(data["not_found"], json({"DEMO_AD"}));
    EXPECT_EQ(data["suggestions"]["DEMO_AD"].size(), 3u);
}

TEST_F(composio_execute, calls_many_tools_at_once_and_keeps_their_order) {
    auto client = begin(call_of("COMPOSIO_MULTI_EXECUTE_TOOL",
                                R"({"sync_response_to_workbench":false,"tools":[{"tool_slug":"DEMO_WAIT"},)"
                                R"({"tool_slug":"DEMO_ADD","arguments":{"a":1,"b":1}},{"tool_slug":"DEMO_FAIL"},)"
                                R"({"tool_slug":"COMPOSIO_REMOTE_WORKBENCH","arguments":{}}]})"));
    auto all_called = [&] { return toolbox.called.size() == 3; };
    ASSERT_TRUE(test_support::run_until(io, all_called, std::chrono::seconds(10)));
    toolbox.free = true;
    toolbox.freed.notify_all();
    auto data = client.finish().body["data"];
    EXPECT_EQ(data["total_count"], 4);
    EXPECT_EQ(data["success_count"], 2);
    EXPECT_EQ(data["error_count"], 2);
    EXPECT_EQ(data["results"][0]["response"]["data"]["waited"], true);
    EXPECT_EQ(data["results"][1]["response"]["data"]["sum"], 2);
    EXPECT_EQ(data["results"][1]["index"], 1);
    EXPECT_EQ(data["results"][2]["error"], "it is broken");
    EXPECT_THAT(data["results"][3]["error"].get<std::string>(), HasSubstr("cannot be called by another tool"));
}

TEST_F(composio_execute, says_which_account_is_meant) {
    post("/execute", R"({"tool_slug":"DEMO_ADD","arguments":{},"account":"work"})");
    post("/execute", call_of("DEMO_ADD"));
    auto data = post("/execute", call_of("COMPOSIO_MULTI_EXECUTE_TOOL",
                                         R"({"sync_response_to_workbench":false,"tools":[)"
                                         R"({"tool_slug":"DEMO_ADD","arguments":{},"account":"home"},)"
                                         R"({"tool_slug":"DEMO_ADD","arguments":{},"account":[]}]})"))
                    .body["data"];
    EXPECT_EQ(toolbox.accounts, (std::vector<std::string>{"work", "", "home"}));
    EXPECT_THAT(data["results"][1]["error"].get<std::string>(), HasSubstr("id or alias"));
}

TEST_F(composio_execute, shows_in_the_session_which_step_its_client_is_at) {
    EXPECT_FALSE(call("GET", base + "/" + id).body.contains("current_step"));
    post("/execute",
         call_of("COMPOSIO_MULTI_EXECUTE_TOOL",
                 R"({"sync_response_to_workbench":false,"current_step":"ADDING","current_step_metric":"1/2 sums",)"
                 R"("tools":[{"tool_slug":"DEMO_ADD","arguments":{}}]})"));
    auto shown = call("GET", base + "/" + id).body;
    EXPECT_EQ(shown["current_step"], "ADDING");
    EXPECT_EQ(shown["current_step_metric"], "1/2 sums");
}

TEST_F(composio_execute, refuses_steps_that_are_too_long_to_be_kept) {
    const std::pair<std::string, std::string> calls[] = {
        {"COMPOSIO_REMOTE_WORKBENCH", R"("code_to_execute":"1")"},
        {"COMPOSIO_REMOTE_BASH_TOOL", R"("command":"id")"},
        {"COMPOSIO_MULTI_EXECUTE_TOOL", R"("tools":[{"tool_slug":"DEMO_ADD"}])"},
        {"COMPOSIO_SEARCH_TOOLS", R"("queries":[{"use_case":"add"}])"},
        {"COMPOSIO_GET_TOOL_SCHEMAS", R"("tool_slugs":["DEMO_ADD"])"},
        {"COMPOSIO_MANAGE_CONNECTIONS", R"("toolkits":["demo"])"}};
    const std::pair<std::string, std::string> bad[] = {
        {"current_step", R"(,"current_step":")" + std::string(4'097, 's') + "\""},
        {"current_step", R"(,"current_step":5)"},
        {"current_step_metric", R"(,"current_step":"S","current_step_metric":")" + std::string(16'385, 'm') + "\""}};
    for (const auto& [slug, arguments] : calls) {
        for (const auto& [name, more] : bad) {
            auto refused = post("/execute", call_of(slug, "{" + arguments + more + "}"));
            EXPECT_EQ(refused.status, 400) << slug;
            EXPECT_THAT(refused.error(), HasSubstr(name)) << slug;
        }
    }
    EXPECT_FALSE(call("GET", base + "/" + id).body.contains("current_step"));
}

TEST_F(composio_execute, refuses_wrong_values_by_their_names) {
    const std::tuple<const char*, const char*, const char*> bad[] = {
        {"COMPOSIO_SEARCH_TOOLS", R"({"queries":[{"use_case":"x"}],"toolkits":5})", "toolkits"},
        {"COMPOSIO_SEARCH_TOOLS", R"({"queries":[{"use_case":"x","known_fields":5}]})", "known_fields"},
        {"COMPOSIO_SEARCH_TOOLS", R"({"queries":[{"use_case":"x"}],"session":5})", "session"},
        {"COMPOSIO_SEARCH_TOOLS", R"({"queries":[{"use_case":"x"}],"model":5})", "model"},
        {"COMPOSIO_GET_TOOL_SCHEMAS", R"({"tool_slugs":["x"],"include":5})", "include"},
        {"COMPOSIO_MANAGE_CONNECTIONS", R"({"toolkits":["x"],"reinitiate_all":5})", "reinitiate_all"}};
    for (const auto& [slug, arguments, name] : bad) {
        auto refused = post("/execute", call_of(slug, arguments));
        EXPECT_EQ(refused.status, 400) << arguments;
        EXPECT_THAT(refused.error(), HasSubstr(name)) << arguments;
    }
}

TEST_F(composio_execute, promises_no_files_of_a_session_that_is_over) {
    auto client = begin(cell_of("1"));
    wait_for_cells(1);
    session()->cell_at(0)->reason = sessions::cell_reason::session_ended;
    session()->finish(*session()->cell_at(0), sessions::cell_status::lost);
    EXPECT_EQ(client.finish().body["error"],
              "the cell was lost: the sandbox ended (session_ended); variables are gone");
    auto other = begin(call_of(bash, R"({"command":"sleep 999"})"));
    other.read_until("\r\n\r\n  ");
    auto& command = *session()->shell.all.at(0);
    session()->shell.finish(command);
    command.status = sessions::cell_status::lost;
    command.reason = sessions::cell_reason::session_ended;
    EXPECT_EQ(other.finish().body["error"], "the command was lost: the sandbox ended (session_ended)");
}

TEST_F(composio_execute, answers_what_waits_when_the_gateway_stops) {
    auto tool = begin(call_of("DEMO_WAIT"));
    tool.read_until("\r\n\r\n  ");
    auto many = begin(call_of("COMPOSIO_MULTI_EXECUTE_TOOL", R"({"tools":[{"tool_slug":"DEMO_WAIT"}]})"));
    many.read_until("\r\n\r\n  ");
    auto cell = begin(cell_of("1"));
    cell.read_until("\r\n\r\n  ");
    task_group stop(io.get_executor());
    stop.spawn("stop", routes_of->stop(std::chrono::seconds(10)));
    EXPECT_THAT(tool.finish().body["error"].get<std::string>(), HasSubstr("the gateway is stopping"));
    EXPECT_TRUE(many.finish().body.is_object());
    session()->cell_at(0)->reason = sessions::cell_reason::gateway_ended;
    session()->finish(*session()->cell_at(0), sessions::cell_status::lost);
    EXPECT_THAT(cell.finish().body["error"].get<std::string>(), HasSubstr("(gateway_ended)"));
    test_support::await(io, stop.join());
    EXPECT_TRUE(toolbox.was_cancelled);
    EXPECT_EQ(post("/execute", call_of("DEMO_ADD")).status, 503);
}

TEST_F(composio_execute, says_what_is_connected) {
    auto data =
        post("/execute", call_of("COMPOSIO_MANAGE_CONNECTIONS", R"({"toolkits":["demo","gmail"]})")).body["data"];
    EXPECT_EQ(data["results"]["demo"]["status"], "active");
    EXPECT_EQ(data["results"]["gmail"]["status"], "failed");
    EXPECT_EQ(data["summary"]["total_toolkits"], 2);
    EXPECT_EQ(data["summary"]["active_connections"], 1);
}

TEST_F(composio_execute, joins_the_cell_of_an_equal_call_whose_connection_is_gone) {
    auto first = begin(cell_of("x += 1"));
    first.read_until("\r\n\r\n ");
    first.close();
    settle();
    auto second = begin(cell_of("x += 1"));
    second.read_until("\r\n\r\n ");
    EXPECT_EQ(session()->executed.size(), 1u);
    session()->print(*session()->cell_at(0), "once");
    session()->finish(*session()->cell_at(0));
    EXPECT_EQ(second.finish().body["data"]["stdout"], "once");
}

TEST_F(composio_execute, gives_the_outcome_of_a_call_that_nobody_heard) {
    auto first = begin(cell_of("x += 1"));
    first.read_until("\r\n\r\n ");
    first.close();
    settle();
    session()->finish(*session()->cell_at(0));
    settle();
    EXPECT_EQ(begin(cell_of("x += 1")).finish().status, 200);
    EXPECT_EQ(session()->executed.size(), 1u);
    // Now it was heard: the same again is another call.
    auto third = begin(cell_of("x += 1"));
    wait_for_cells(2);
    session()->finish(*session()->cell_at(1));
    third.finish();
}

TEST_F(composio_execute, runs_both_of_two_equal_calls_that_live) {
    auto first = begin(cell_of("x += 1"));
    first.read_until("\r\n\r\n ");
    auto second = begin(cell_of("x += 1"));
    wait_for_cells(2);
    auto other = begin(cell_of("x += 2"));
    wait_for_cells(3);
    for (std::size_t at = 0; at < 3; ++at) session()->finish(*session()->cell_at(at));
    EXPECT_EQ(first.finish().status, 200);
    EXPECT_EQ(second.finish().status, 200);
    EXPECT_EQ(other.finish().status, 200);
}

TEST_F(composio_execute, joins_a_call_that_its_client_says_it_repeats) {
    auto first = begin(cell_of("x += 1"), "x-stainless-retry-count: 0\r\n");
    first.read_until("\r\n\r\n ");
    auto again = begin(cell_of("x += 1"), "x-stainless-retry-count: 1\r\n");
    again.read_until("\r\n\r\n ");
    EXPECT_EQ(session()->executed.size(), 1u);
    session()->finish(*session()->cell_at(0));
    EXPECT_EQ(first.finish().body, again.finish().body);
}

TEST_F(composio_execute, joins_no_call_with_another_account) {
    auto with_account = [](const std::string& account) {
        return R"({"tool_slug":"DEMO_WAIT","arguments":{"q":1},"account":")" + account + "\"}";
    };
    auto called = [&](std::size_t count) {
        auto all = [&] { return toolbox.called.size() == count; };
        return test_support::run_until(io, all, std::chrono::seconds(10));
    };
    auto first = begin(with_account("ca_one"));
    ASSERT_TRUE(called(1));
    first.close();
    settle();
    toolbox.free = true;
    toolbox.freed.notify_all();
    settle();
    EXPECT_EQ(begin(with_account("ca_two")).finish().status, 200);
    EXPECT_EQ(toolbox.accounts, (std::vector<std::string>{"ca_one", "ca_two"}));
    // Its own outcome was not given away meanwhile.
    EXPECT_EQ(begin(with_account("ca_one")).finish().status, 200);
    EXPECT_EQ(toolbox.called.size(), 2u);
}

TEST_F(composio_execute, forgets_outcomes_that_are_old) {
    options.keep_outcome = milliseconds(0);
    TearDown();
    routes = http::router();
    SetUp();
    auto first = begin(cell_of("x += 1"));
    first.read_until("\r\n\r\n ");
    first.close();
    settle();
    session()->finish(*session()->cell_at(0));
    settle();
    auto second = begin(cell_of("x += 1"));
    wait_for_cells(2);
    session()->finish(*session()->cell_at(1));
    second.finish();
}

}  // namespace
}  // namespace gateway::api::composio
