#include <gmock/gmock.h>

#include <csignal>

#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class commands_test : public agent_fixture {
  protected:
    std::shared_ptr<test_support::fake_agent_session> session = add_session();
    test_support::fake_shell& shell = session->shell;

    reply bash(const std::string& body) { return call("POST", "/api/v1/sessions/ses_1/bash", body); }
    reply begin() { return bash(R"({"command":"true","background":true})"); }
    static std::string of(const std::string& command, const std::string& rest = "") {
        return "/api/v1/sessions/ses_1/commands/" + command + rest;
    }
};

TEST_F(commands_test, sends_spaces_while_the_command_runs_and_the_command_last) {
    auto answer = open("POST", "/api/v1/sessions/ses_1/bash", R"({"command":"echo hi"})");
    EXPECT_THAT(answer.headers, ElementsAre(std::pair<std::string, std::string>("x-command-id", "cmd_1")));
    auto next = [&] { return test_support::await(io, std::get<http::body_source>(answer.body)()); };
    EXPECT_EQ(next(), " ");
    shell.print(*shell.all[0], "hi\n");
    shell.finish(*shell.all[0], 3);
    std::string text;
    while (auto piece = next()) text += *piece;
    auto shown = json::parse(text);
    EXPECT_EQ(shown["command_id"], "cmd_1");
    EXPECT_EQ(shown["status"], "error");
    EXPECT_EQ(shown["exit_code"], 3);
    EXPECT_EQ(shown["stdout"], "hi\n");
    EXPECT_EQ(shown["stderr"], "");
}

TEST_F(commands_test, answers_at_once_for_one_in_the_background) {
    auto answer = begin();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body["status"], "running");
    EXPECT_EQ(answer.body["background"], true);
}

TEST_F(commands_test, passes_on_what_is_asked) {
    bash(R"({"argv":["ls","$A"],"cwd":"/tmp","env":{"A":"1"},"timeout_s":0.5,"stdin":"in","background":true})");
    const auto& asked = shell.started.at(0);
    EXPECT_THAT(asked.argv, ElementsAre("ls", "$A"));
    EXPECT_EQ(asked.working_dir, "/tmp");
    EXPECT_EQ(asked.env.at("A"), "1");
    EXPECT_EQ(asked.timeout, milliseconds(500));
    EXPECT_EQ(asked.input, "in");
    EXPECT_FALSE(asked.stdin_stays_open);
    begin();
    EXPECT_FALSE(shell.started.at(1).stdin_stays_open) << "over REST stdin is empty";
    bash(R"({"command":"cat","stdin":true,"background":true})");
    EXPECT_TRUE(shell.started.at(2).stdin_stays_open);
}

TEST_F(commands_test, checks_what_is_asked_by_name) {
    const std::pair<const char*, const char*> table[] = {
        {"{}", "either command"},
        {R"({"command":"a","argv":["a"]})", "either command"},
        {R"({"argv":[]})", "argv is empty"},
        {R"({"argv":"ls"})", "argv must be a list"},
        {R"({"argv":["ls",1]})", "argv must be a list"},
        {R"({"command":""})", "command is empty"},
        {R"({"command":"a","cwd":1})", "cwd must be a string"},
        {R"({"command":"a","env":{"A":1}})", "env.A must be a string"},
        {R"({"command":"a","stdin":1})", "stdin must be a string, true or false"},
        {R"({"command":"a","timeout_s":0})", "timeout_s"},
        {R"({"command":"a","shell":true})", "unknown field shell"}};
    for (const auto& [body, message] : table) {
        auto refused = bash(body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_THAT(refused.body["error"]["message"].get<std::string>(), HasSubstr(message)) << body;
    }
    EXPECT_TRUE(shell.started.empty());
    auto large = bash(R"({"command":")" + std::string(131'072, 'x') + "\"}");
    EXPECT_THAT(large.body["error"]["message"].get<std::string>(), HasSubstr("command has 131072 bytes"));
}

TEST_F(commands_test, says_why_a_command_does_not_start) {
    shell.refuses = failure{errc::invalid_request, "start nothing: no such program"};
    auto refused = begin();
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.text, HasSubstr("no such program"));
}

TEST_F(commands_test, lists_commands_in_pages) {
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1/commands").body, (json{{"items", json::array()}}));
    for (int each = 0; each < 3; ++each) begin();
    auto page = call("GET", "/api/v1/sessions/ses_1/commands?limit=2").body;
    ASSERT_EQ(page["items"].size(), 2u);
    EXPECT_EQ(page["items"][1]["command_id"], "cmd_2");
    page = call("GET", "/api/v1/sessions/ses_1/commands?after=" + page["next_after"].dump()).body;
    EXPECT_EQ(page["items"].size(), 1u);
    EXPECT_FALSE(page.contains("next_after"));
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1/commands?limit=0").status, 400);
}

TEST_F(commands_test, shows_one_or_says_that_there_is_none) {
    begin();
    EXPECT_EQ(call("GET", of("cmd_1")).body["command"], "true");
    EXPECT_EQ(call("GET", of("cmd_9")).code(), "command_not_found");
    EXPECT_EQ(call("GET", "/api/v1/sessions/none/commands/cmd_1").code(), "session_not_found");
}

TEST_F(commands_test, sends_signals_by_name) {
    begin();
    EXPECT_EQ(call("POST", of("cmd_1", "/signal"), R"({"signal":"INT"})").status, 200);
    EXPECT_THAT(shell.signals, ElementsAre(std::pair<std::string, int>("cmd_1", SIGINT)));
    for (const char* each : {"{}", R"({"signal":9})", R"({"signal":"SIGNONE"})", R"({"signal":"INT","x":1})"})
        EXPECT_EQ(call("POST", of("cmd_1", "/signal"), each).status, 400) << each;
    shell.refuses = failure{errc::command_not_running, "over"};
    EXPECT_EQ(call("POST", of("cmd_1", "/signal"), R"({"signal":"INT"})").status, 409);
}

TEST_F(commands_test, writes_to_stdin_and_closes_it) {
    begin();
    EXPECT_EQ(call("POST", of("cmd_1", "/stdin"), R"({"data":"x"})").status, 200);
    EXPECT_EQ(call("POST", of("cmd_1", "/stdin"), R"({"eof":true})").status, 200);
    EXPECT_THAT(shell.inputs,
                ElementsAre(std::pair<std::string, bool>("x", false), std::pair<std::string, bool>("", true)));
    for (const char* each : {"{}", R"({"eof":false})", R"({"data":1})"})
        EXPECT_EQ(call("POST", of("cmd_1", "/stdin"), each).status, 400) << each;
}

}  // namespace
}  // namespace gateway::api::agent
