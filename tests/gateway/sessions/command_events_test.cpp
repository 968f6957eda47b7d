#include "gateway/sessions/command_events.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

namespace gateway::sessions {
namespace {

using nlohmann::json;

command a_command() {
    command what;
    what.id = "cmd_1";
    what.argv = {"bash", "-c", "--", "echo \"hi\""};
    what.text = "echo \"hi\"";
    what.working_dir = "sub";
    what.timeout = milliseconds(1500);
    what.seq_first = 3;
    what.seq_last = 9;
    return what;
}

TEST(signal_names, are_known_with_and_without_SIG) {
    EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
    for (const char* each : {"SIGTERM", "TERM", "sigterm", "Term"}) EXPECT_EQ(signal_number(each), SIGTERM) << each;
    for (int number : {SIGINT, SIGKILL, SIGUSR1, SIGCHLD, 40}) EXPECT_EQ(signal_number(signal_name(number)), number);
    for (const char* each : {"", "SIG", "SIGNONE", "0", "-9", "SIG0", "SIG999"})
        EXPECT_EQ(signal_number(each), 0) << each;
}

TEST(a_commands_events, say_what_began) {
    auto body = json::parse(command_started_body(a_command()));
    EXPECT_EQ(body["command_id"], "cmd_1");
    EXPECT_EQ(body["command"], "echo \"hi\"");
    EXPECT_EQ(body["argv"], json({"bash", "-c", "--", "echo \"hi\""}));
    EXPECT_EQ(body["cwd"], "sub");
    EXPECT_EQ(body["timeout_s"], 1.5);
}

TEST(a_commands_events, have_its_output_by_stream) {
    EXPECT_EQ(json::parse(command_output_body(a_command(), command_stream::err, "a\n\x01é")),
              json({{"command_id", "cmd_1"}, {"name", "stderr"}, {"text", "a\n\x01é"}}));
}

TEST(a_commands_events, say_how_it_ended) {
    command what = a_command();
    what.status = cell_status::timeout;
    what.reason = cell_reason::deadline;
    what.signal = SIGKILL;
    what.left_open = {command_stream::out};
    what.out.file = "/mnt/files/x";
    auto body = json::parse(command_finished_body(what));
    EXPECT_EQ(body["status"], "timeout");
    EXPECT_EQ(body["reason"], "deadline");
    EXPECT_EQ(body["exit_code"], nullptr);
    EXPECT_EQ(body["signal"], "SIGKILL");
    EXPECT_EQ(body["left_open"], json({"stdout"}));
    EXPECT_EQ(body["truncated"], json({{"stdout", "/mnt/files/x"}}));
    what.argv = {"ls"};
    what.text.clear();
    what.timeout = milliseconds(0);
    body = command_summary(what);
    EXPECT_EQ(body["command"], nullptr);
    EXPECT_EQ(body["timeout_s"], nullptr);
}

}  // namespace
}  // namespace gateway::sessions
