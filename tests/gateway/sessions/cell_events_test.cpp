#include "gateway/sessions/cell_events.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::sessions {
namespace {

using nlohmann::json;

cell a_cell() {
    cell made;
    made.id = "cell_1";
    made.seq_first = 7;
    made.seq_last = 9;
    made.status = cell_status::ok;
    made.code = "print(\"\xFF\")";
    return made;
}

TEST(cell_events, tell_what_was_queued_as_valid_json_whatever_its_code) {
    EXPECT_EQ(json::parse(cell_queued_body(a_cell())), json::parse(R"json({"cell_id":"cell_1","origin":"agent",
        "code":"print(\"\ufffd\")","store_history":true})json"));
}

TEST(cell_events, tell_a_step_and_its_metric_as_they_were_sent) {
    auto from = a_cell();
    from.current_step = "load";
    from.current_step_metric = R"({"rows":[1,2]})";
    auto body = json::parse(cell_queued_body(from));
    EXPECT_EQ(body["current_step"], "load");
    EXPECT_EQ(body["current_step_metric"], json::parse(R"({"rows":[1,2]})"));
    from.current_step_metric = "not JSON";
    EXPECT_FALSE(json::parse(cell_queued_body(from)).contains("current_step_metric"));
}

TEST(cell_events, tell_when_a_cell_started) {
    auto from = a_cell();
    from.started_at = wall_clock::time_point(std::chrono::microseconds(1'700'000'000'000'042));
    EXPECT_EQ(json::parse(cell_started_body(from)),
              json::parse(R"({"cell_id":"cell_1","origin":"agent","started_at":"2023-11-14T22:13:20.000042Z"})"));
}

TEST(cell_events, tell_how_a_cell_ended) {
    EXPECT_EQ(json::parse(cell_finished_body(a_cell())), json::parse(R"({"cell_id":"cell_1","origin":"agent",
        "seq_first":7,"seq_last":9,"status":"ok","execution_count":null,"error":null,"corrections":[],"installed":[],
        "truncated":{},"started_at":null,"duration_ms":0,"kernel_restarted":false})"));
}

TEST(cell_events, tell_what_was_installed_for_a_cell) {
    auto from = a_cell();
    from.installed = {{"scikit-learn", "1.7", "sklearn"}, {"joblib", "1.6", ""}};
    EXPECT_EQ(cell_summary(from)["installed"],
              json::parse(R"([{"name":"scikit-learn","version":"1.7","module":"sklearn"},
        {"name":"joblib","version":"1.6"}])"));
}

TEST(cell_events, tell_why_a_cell_failed_and_where_its_text_is) {
    auto from = a_cell();
    from.status = cell_status::error;
    from.reason = cell_reason::killed;
    from.execution_count = 3;
    from.error = cell_error{"E", "why \"so\"", {"line 1", "line 2"}};
    from.out.file = "/mnt/files/out.txt";
    from.kernel_restarted = true;
    auto body = cell_summary(from);
    EXPECT_EQ(body["reason"], "killed");
    EXPECT_EQ(body["execution_count"], 3);
    EXPECT_EQ(body["error"], json::parse(R"({"ename":"E","evalue":"why \"so\"","traceback":["line 1","line 2"]})"));
    EXPECT_EQ(body["truncated"], json::parse(R"({"stdout":"/mnt/files/out.txt"})"));
    EXPECT_EQ(body["kernel_restarted"], true);
}

TEST(cell_events, tell_what_was_corrected) {
    auto from = a_cell();
    from.corrections = {{3, 7, "result[\"apiKey\"]", "result[\"api_key\"]", "field_name"},
                        {4, 0, "true", "True", "json_literal"}};
    auto told = json::parse(correction_body(from, from.corrections[0]));
    EXPECT_EQ(told, json::parse(R"json({"cell_id":"cell_1","line":3,"column":7,"written":"result[\"apiKey\"]",
        "used":"result[\"api_key\"]","kind":"field_name"})json"));
    told.erase("cell_id");
    auto kept = cell_summary(from)["corrections"];
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0], told);
    EXPECT_EQ(kept[1]["used"], "True");
}

TEST(cell_events, tell_of_the_kernel) {
    EXPECT_EQ(kernel_status_body("dead", "oom"), R"({"state":"dead","reason":"oom"})");
    EXPECT_EQ(kernel_status_body("idle", ""), R"({"state":"idle"})");
}

}  // namespace
}  // namespace gateway::sessions
