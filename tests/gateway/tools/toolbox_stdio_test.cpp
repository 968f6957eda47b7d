#include <signal.h>

#include <algorithm>

#include "tests/gateway/tools/toolbox_fixture.hpp"

namespace gateway::tools {
namespace {

using test_support::run_until;

TEST_F(toolbox_test, a_call_reaches_its_tool_in_any_case) {
    open(fake());
    EXPECT_EQ(data(" fake_Echo ", R"({"a": [1, "b"]})"),
              nlohmann::json::parse(R"({"name":"echo","arguments":{"a":[1,"b"]}})"));
}

TEST_F(toolbox_test, the_answer_is_an_execute_response) {
    open(fake());
    auto answer = nlohmann::json::parse(*call("FAKE_STRUCTURED"));
    EXPECT_EQ(answer["data"], nlohmann::json::parse(R"({"sum":5})"));
    EXPECT_TRUE(answer["error"].is_null());
    EXPECT_EQ(answer["log_id"].get<std::string>().rfind("log_", 0), 0u);
}

TEST_F(toolbox_test, arguments_with_line_breaks_stay_one_message) {
    open(fake());
    EXPECT_EQ(data("FAKE_ECHO", "{\n\"a\":\n\"b\\nc\"}")["arguments"]["a"], "b\nc");
}

TEST_F(toolbox_test, a_tools_own_failure_is_an_answer_with_its_text) {
    open(fake());
    auto answer = nlohmann::json::parse(*call("FAKE_FAIL"));
    EXPECT_EQ(answer["error"], "it cannot be done");
    EXPECT_EQ(answer["data"], nlohmann::json::object());
}

TEST_F(toolbox_test, refused_arguments_are_an_invalid_request) {
    open(fake());
    auto answer = call("FAKE_REFUSE");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::invalid_request);
    EXPECT_EQ(answer.error().message, "FAKE_REFUSE: Invalid arguments");
}

TEST_F(toolbox_test, arguments_that_are_no_object_never_reach_a_server) {
    open(fake());
    for (const char* each : {"", "5", "[]", "null", "{", "nonsense"})
        EXPECT_EQ(call("FAKE_ECHO", each).error().code, errc::invalid_request) << each;
    auto deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    EXPECT_EQ(call("FAKE_ECHO", deep).error().code, errc::invalid_request);
}

TEST_F(toolbox_test, an_answer_that_cannot_be_read_is_an_error_at_once) {
    open(fake());
    auto raw = [&](const std::string& text) {
        nlohmann::json arguments = {{"text", text}};
        return call("FAKE_RAW", arguments.dump()).error().message;
    };
    const std::string begins = "FAKE_RAW: the server's answer cannot be read: ";
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","id":ID,"result":DEEP})"), begins + "it is nested deeper than 500 levels");
    EXPECT_EQ(raw("{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":\"\u00ff\"}}"), begins + "it is not JSON in UTF-8");
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","id":ID,"result":{)"), begins + "it is not JSON in UTF-8");
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","result":DEEP,"i)"),
              "FAKE_RAW: toolkit FAKE: the server's answer cannot be read: it is nested deeper than 500 levels");
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","id":ID,"result":5})"), begins + "its result is not an object");
    EXPECT_EQ(raw(R"({"jsonrpc":"2.0","id":ID})"), begins + "it has neither a result nor an error");
    EXPECT_EQ(data("FAKE_ECHO", R"({"a":1})")["arguments"]["a"], 1);
}

TEST_F(toolbox_test, an_unknown_slug_names_close_ones) {
    open(fake());
    EXPECT_EQ(error("FAKE_ECO"), "there is no tool FAKE_ECO; did you mean FAKE_ECHO?");
    EXPECT_EQ(error("OTHER_THING"), "there is no tool OTHER_THING. A slug is TOOLKIT_TOOL; the toolkits are FAKE");
}

TEST_F(toolbox_test, without_toolkits_the_error_says_what_to_set) {
    open(std::vector<toolkit_options>{});
    EXPECT_TRUE(box->empty());
    EXPECT_TRUE(has(error("ANY_TOOL"), "[tools.toolkits.FILES] with command = ["));
    EXPECT_EQ(call("ANY_TOOL").error().code, errc::not_found);
}

TEST_F(toolbox_test, tools_are_listed_over_all_pages_with_colliding_names_apart) {
    open(fake({"pages=5"}));
    auto found = slugs();
    EXPECT_EQ(found.size(), 17u);
    for (const char* each : {"FAKE_ECHO", "FAKE_GET_SUM", "FAKE_GET_SUM_2", "FAKE_HALF"})
        EXPECT_NE(std::find(found.begin(), found.end(), each), found.end()) << each;
    EXPECT_EQ(data("FAKE_GET_SUM_2")["name"], "get_sum");
}

TEST_F(toolbox_test, a_changed_list_is_read_again) {
    open(fake());
    data("FAKE_CHANGE", R"({"add":"new one"})");
    EXPECT_TRUE(run_until(io, [&] {
        auto found = slugs();
        return std::find(found.begin(), found.end(), "FAKE_NEW_ONE") != found.end();
    }));
    EXPECT_EQ(data("FAKE_NEW_ONE")["name"], "new one");
}

TEST_F(toolbox_test, an_older_revision_is_spoken_too) {
    open(fake({"start=old"}));
    EXPECT_EQ(data("FAKE_ECHO")["name"], "echo");
}

TEST_F(toolbox_test, junk_on_stdout_does_no_harm) {
    open(fake({"junk=1"}));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(data("FAKE_ECHO")["name"], "echo");
}

TEST_F(toolbox_test, the_servers_requests_are_answered) {
    open(fake());
    auto answers = data("FAKE_ASK")["answers"];
    EXPECT_EQ(answers[0], nlohmann::json::parse(R"({"jsonrpc":"2.0","id":"server-0","result":{}})"));
    EXPECT_EQ(answers[1]["error"]["code"], -32601);
}

TEST_F(toolbox_test, a_large_answer_comes_whole) {
    open(fake());
    EXPECT_EQ(data("FAKE_BIG", R"({"bytes":2000000})")["text"].get_ref<const std::string&>().size(), 2'000'000u);
}

TEST_F(toolbox_test, an_answer_over_the_limit_is_an_error_and_the_server_goes_on) {
    auto options = fake();
    options.max_result_bytes = 100'000;
    open(options);
    auto answer = call("FAKE_BIG", R"({"bytes":1000000})");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::too_large);
    EXPECT_TRUE(has(answer.error().message, "100000 bytes (tools.max_result_bytes)")) << answer.error().message;
    EXPECT_EQ(data("FAKE_ECHO")["name"], "echo");
}

TEST_F(toolbox_test, a_server_that_dies_fails_the_call_and_is_back_for_the_next) {
    open(fake());
    for (const char* how : {"FAKE_DIE", "FAKE_HALF"}) {
        auto answer = call(how);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, errc::tool_failed);
        EXPECT_TRUE(has(answer.error().message, "it ended (exit status ")) << answer.error().message;
        EXPECT_TRUE(has(answer.error().message, "the server is started again"));
        EXPECT_EQ(data("FAKE_ECHO")["name"], "echo");
    }
}

TEST_F(toolbox_test, a_server_that_closes_its_stdout_is_killed_and_started_again) {
    open(fake());
    EXPECT_TRUE(has(error("FAKE_CLOSE_STDOUT"), "it closed its stdout"));
    EXPECT_EQ(data("FAKE_ECHO")["name"], "echo");
}

TEST_F(toolbox_test, a_server_that_hangs_fails_the_call_in_time_and_is_started_again) {
    open(fake({}, milliseconds(2'000)));
    warm_up("FAKE_ECHO");
    auto answer = call("FAKE_HANG");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::timeout);
    EXPECT_TRUE(has(answer.error().message, "(timeout_s in [tools.toolkits.FAKE], or tools.timeout_s)"));
    // The ping that follows goes unanswered for its five seconds; then there is a new server.
    EXPECT_TRUE(run_until(
        io, [&] { return call("FAKE_ECHO").has_value(); }, std::chrono::seconds(30)));
}

TEST_F(toolbox_test, a_slow_tool_is_told_to_stop_and_its_server_stays) {
    open(fake({"log=" + log_file()}, milliseconds(2'000)));
    warm_up("FAKE_ECHO");
    auto before = data("FAKE_SPAWN")["own"];
    EXPECT_EQ(call("FAKE_SLEEP").error().code, errc::timeout);
    EXPECT_TRUE(run_until(io, [&] { return has(logged(), "\"method\":\"ping\""); }));
    EXPECT_TRUE(has(logged(), R"("method":"notifications/cancelled","params":{"requestId":)"));
    EXPECT_EQ(data("FAKE_SPAWN")["own"], before);
}

TEST_F(toolbox_test, a_server_that_cannot_start_says_why_and_rests) {
    open(fake({"start=die"}));
    auto answer = call("FAKE_ECHO");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::unavailable);
    EXPECT_TRUE(has(answer.error().message, "toolkit FAKE: its MCP server failed: it ended (exit status 7)"))
        << answer.error().message;
    EXPECT_TRUE(has(error("FAKE_ECHO"), "It is started again by a call in 1 s or later"));
}

TEST_F(toolbox_test, a_program_that_does_not_exist_is_named) {
    auto options = fake();
    options.command = {"no-such-program-at-all"};
    open(options);
    EXPECT_TRUE(has(error("FAKE_ECHO"), "there is no program no-such-program-at-all in PATH; give its absolute path"));
}

TEST_F(toolbox_test, a_server_that_refuses_the_handshake_is_quoted) {
    open(fake({"start=refuse"}));
    EXPECT_TRUE(has(error("FAKE_ECHO"), "refused initialize: not today"));
}

TEST_F(toolbox_test, a_handshake_that_hangs_ends_at_the_timeout) {
    open(fake({"start=hang"}, milliseconds(300)));
    auto answer = call("FAKE_ECHO");
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().code == errc::timeout || answer.error().code == errc::unavailable);
}

TEST_F(toolbox_test, forty_calls_at_once_each_get_their_answer) {
    open(fake());
    std::vector<int> answers(40, -1);
    std::size_t done = 0;
    auto one = [&](int number) -> awaitable<void> {
        auto answer = co_await box->execute("FAKE_ECHO", "{\"n\":" + std::to_string(number) + "}", whose);
        if (answer)
            answers[static_cast<std::size_t>(number)] = nlohmann::json::parse(*answer)["data"]["arguments"]["n"];
        ++done;
    };
    task_group calls(io.get_executor());
    for (int i = 0; i < 40; ++i) calls.spawn("call", one(i));
    EXPECT_TRUE(run_until(
        io, [&] { return done == 40; }, std::chrono::seconds(30)));
    for (int i = 0; i < 40; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)], i);
}

TEST_F(toolbox_test, a_cancelled_call_tells_the_server) {
    open(fake({"log=" + log_file()}));
    data("FAKE_ECHO");
    std::optional<errc> ended;
    auto one = [&]() -> awaitable<void> {
        auto answer = co_await box->execute("FAKE_SLEEP", "{}", whose);
        if (!answer) ended = answer.error().code;
    };
    task_group calls(io.get_executor());
    calls.spawn("call", one());
    EXPECT_TRUE(run_until(io, [&] { return has(logged(), "\"sleep\""); }));
    calls.cancel();
    EXPECT_TRUE(run_until(io, [&] { return has(logged(), "notifications/cancelled"); }));
    EXPECT_EQ(ended, errc::cancelled);
}

TEST_F(toolbox_test, a_server_inherits_nothing_but_what_it_needs) {
    ::setenv("CELLGATE_TOKEN", "a-secret", 1);
    auto options = fake();
    options.env = {{"PROVIDER_KEY", "given"}, {"HOME", "/nowhere"}};
    open(options);
    auto env = data("FAKE_ENVIRONMENT");
    ::unsetenv("CELLGATE_TOKEN");
    EXPECT_EQ(env["PROVIDER_KEY"], "given");
    EXPECT_EQ(env["HOME"], "/nowhere");
    EXPECT_TRUE(env.contains("PATH"));
    for (auto& [name, value] : env.items())
        EXPECT_TRUE(name == "PROVIDER_KEY" || name == "HOME" || name == "PATH" || name == "LANG" || name == "TMPDIR" ||
                    name == "LC_CTYPE")  // set by Python itself
            << name;
}

TEST_F(toolbox_test, stopping_leaves_no_process_of_a_servers_group) {
    open(fake());
    auto pids = data("FAKE_SPAWN");
    stop();
    EXPECT_NE(::kill(pids["own"].get<pid_t>(), 0), 0);
    // The child of the server was killed too; whoever inherits it reaps it in its own time.
    EXPECT_TRUE(run_until(io, [&] {
        std::ifstream stat("/proc/" + pids["pid"].dump() + "/stat");
        std::string line;
        return !std::getline(stat, line) || has(line, ") Z ");
    }));
    EXPECT_TRUE(has(error("FAKE_ECHO"), "the gateway is stopping"));
    box.reset();
}

}  // namespace
}  // namespace gateway::tools
