#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

using testing::HasSubstr;

class cells_test : public agent_fixture {
  protected:
    std::shared_ptr<test_support::fake_agent_session> session = add_session();
    std::shared_ptr<sessions::cell> add(const std::string& code) {
        auto made = session->add_cell(code, sessions::origin::agent);
        session->start(*made);
        return made;
    }
    json shown(const sessions::cell& which) { return call("GET", "/api/v1/sessions/ses_1/cells/" + which.id).body; }
};

TEST_F(cells_test, shows_every_field_of_a_cell) {
    auto cell = add("print(1)");
    session->print(*cell, "out");
    session->print(*cell, "err", "stderr");
    cell->execution_count = 3;
    cell->current_step = "load";
    cell->current_step_metric = "0.5";
    cell->duration = milliseconds(1250);
    session->finish(*cell);
    auto told = shown(*cell);
    EXPECT_EQ(told["origin"], "agent");
    EXPECT_EQ(told["seq_first"], 1);
    EXPECT_EQ(told["seq_last"], 5);
    EXPECT_EQ(told["status"], "ok");
    EXPECT_FALSE(told.contains("reason"));
    EXPECT_EQ(told["execution_count"], 3);
    EXPECT_EQ(told["code"], "print(1)");
    EXPECT_EQ(told["stdout"], "out");
    EXPECT_EQ(told["stderr"], "err");
    for (const char* none : {"result", "error"}) EXPECT_TRUE(told[none].is_null()) << none;
    for (const char* empty : {"displays", "corrections", "installed", "truncated"})
        EXPECT_TRUE(told[empty].empty()) << empty;
    EXPECT_EQ(told["started_at"], "1970-01-01T00:00:01.000000Z");
    EXPECT_EQ(told["duration_ms"], 1250);
    EXPECT_EQ(told["kernel_restarted"], false);
    EXPECT_EQ(told["current_step"], "load");
    EXPECT_EQ(told["current_step_metric"], 0.5);
}

TEST_F(cells_test, reads_result_and_displays_back_from_the_log) {
    auto cell = add("x");
    for (int at = 0; at < 3; ++at) {
        auto seq = session->output(*cell, "display_data",
                                   R"({"data":{"text/plain":")" + std::to_string(at) + R"("},"metadata":{}})");
        cell->displays.push_back({seq, "display_data", ""});
        session->print(*cell, "between");
    }
    auto seq = session->output(*cell, "execute_result",
                               R"({"data":{"text/plain":"2","application/json":{"a":[1]},"x/y":{"b":1}}})");
    cell->result = sessions::cell_output{seq, "execute_result", ""};
    session->finish(*cell);
    auto told = shown(*cell);
    EXPECT_EQ(told["result"], json::parse(R"({"text/plain":"2","application/json":{"a":[1]},"x/y":"{\"b\":1}"})"));
    EXPECT_EQ(told["displays"], json::parse(R"([{"text/plain":"0"},{"text/plain":"1"},{"text/plain":"2"}])"));
}

TEST_F(cells_test, says_so_in_place_of_an_output_that_is_no_longer_kept) {
    auto cell = add("x");
    cell->displays.push_back({99, "display_data", ""});
    EXPECT_THAT(shown(*cell)["displays"][0]["text/plain"], HasSubstr("no longer kept"));
}

TEST_F(cells_test, keeps_the_head_of_a_long_result_and_the_whole_in_a_file) {
    auto cell = add("x");
    std::string whole;
    for (int at = 0; at < 40'001; ++at) whole += "é";
    auto seq = session->output(*cell, "execute_result",
                               R"({"data":{"text/plain":")" + whole + R"(","text/html":")" + whole + R"("}})");
    cell->result = sessions::cell_output{seq, "execute_result", ""};
    for (int round = 0; round < 2; ++round) {
        auto told = shown(*cell);
        EXPECT_EQ(told["result"]["text/plain"].get<std::string>().size(), 80'000u);
        EXPECT_EQ(told["result"]["text/html"].get<std::string>().size(), 80'002u);
        EXPECT_EQ(told["truncated"]["result"], "/mnt/files/.composio/output/cell_1.result.txt");
    }
    std::ifstream file(session->files_directory() + "/.composio/output/cell_1.result.txt");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), whole);
}

TEST_F(cells_test, says_in_a_result_that_is_cut_why_there_is_no_file_of_it) {
    std::ofstream(session->files_directory() + "/.composio") << "a file in the way";
    auto cell = add("x");
    auto seq =
        session->output(*cell, "execute_result", R"({"data":{"text/plain":")" + std::string(50'000, 'x') + R"("}})");
    cell->result = sessions::cell_output{seq, "execute_result", ""};
    auto told = shown(*cell);
    EXPECT_FALSE(told["truncated"].contains("result"));
    EXPECT_EQ(told["result"]["text/plain"],
              std::string(40'000, 'x') +
                  "\n[cellgate: cut here, /mnt/files/.composio/output/cell_1.result.txt cannot be "
                  "written: Not a directory]\n");
    std::filesystem::remove(session->files_directory() + "/.composio");
    EXPECT_EQ(shown(*cell)["truncated"]["result"], "/mnt/files/.composio/output/cell_1.result.txt");
}

TEST_F(cells_test, tells_the_error_the_reason_and_the_files_of_long_texts) {
    auto cell = add("x");
    cell->error = sessions::cell_error{"ValueError", "no", {"line 1", "line 2"}};
    cell->reason = sessions::cell_reason::deadline;
    cell->out.file = "/mnt/files/.composio/output/cell_1.stdout.txt";
    session->finish(*cell, sessions::cell_status::timeout);
    auto told = shown(*cell);
    EXPECT_EQ(told["status"], "timeout");
    EXPECT_EQ(told["reason"], "deadline");
    EXPECT_EQ(told["error"], json::parse(R"({"ename":"ValueError","evalue":"no","traceback":["line 1","line 2"]})"));
    EXPECT_EQ(told["truncated"]["stdout"], cell->out.file);
}

TEST_F(cells_test, lists_cells_in_order_page_by_page_with_running_ones) {
    for (int at = 0; at < 5; ++at) add(std::to_string(at));
    auto page = call("GET", "/api/v1/sessions/ses_1/cells?limit=2");
    ASSERT_EQ(page.body["items"].size(), 2u) << page.text;
    EXPECT_EQ(page.body["items"][1]["code"], "1");
    EXPECT_EQ(page.body["items"][1]["status"], "running");
    auto after = std::to_string(page.body["next_after"].get<int>());
    auto rest = call("GET", "/api/v1/sessions/ses_1/cells?after=" + after);
    EXPECT_EQ(rest.body["items"].size(), 3u);
    EXPECT_EQ(rest.body["items"][0]["code"], "2");
    EXPECT_FALSE(rest.body.contains("next_after"));
}

TEST_F(cells_test, lists_no_cells_of_a_new_session) {
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1/cells").body, json::parse(R"({"items":[]})"));
}

TEST_F(cells_test, does_not_know_a_cell_of_another_session) {
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1/cells/cell_9").code(), "cell_not_found");
}

}  // namespace
}  // namespace gateway::api::agent
