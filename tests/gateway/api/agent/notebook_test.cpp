#include <gmock/gmock.h>

#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

using testing::HasSubstr;

class notebook_test : public agent_fixture {
  protected:
    std::shared_ptr<test_support::fake_agent_session> session = add_session("ana", "my work");
    std::shared_ptr<sessions::cell> add(const std::string& code) {
        auto made = session->add_cell(code, sessions::origin::agent);
        session->start(*made);
        return made;
    }
    json notebook() {
        auto answer = call("GET", "/api/v1/sessions/ses_1/notebook");
        EXPECT_TRUE(answer.body.is_object()) << answer.text.substr(0, 2000);
        return answer.body;
    }
    static std::string joined(const json& text) {
        std::string all;
        for (const auto& each : text) all += each.get<std::string>();
        return all;
    }
};

TEST_F(notebook_test, is_of_nbformat_4_5_and_names_kernel_and_session) {
    auto made = notebook();
    EXPECT_EQ(made["nbformat"], 4);
    EXPECT_EQ(made["nbformat_minor"], 5);
    EXPECT_EQ(made["metadata"]["kernelspec"],
              json::parse(R"({"name":"python3","display_name":"Python 3","language":"python"})"));
    EXPECT_EQ(made["metadata"]["language_info"]["name"], "python");
    EXPECT_EQ(made["metadata"]["cellgate"]["session"]["id"], "ses_1");
    EXPECT_EQ(made["cells"], json::array());
}

TEST_F(notebook_test, is_offered_under_a_file_name_that_is_safe) {
    auto answer = open("GET", "/api/v1/sessions/ses_1/notebook");
    EXPECT_EQ(answer.headers.at(0).second, "inline; filename=\"my_work.ipynb\"");
}

TEST_F(notebook_test, merges_neighbouring_text_of_one_stream_and_keeps_the_order) {
    auto cell = add("x");
    session->print(*cell, "a\\n");
    session->print(*cell, "b\\n");
    session->print(*cell, "e\\n", "stderr");
    session->print(*cell, "c\\n");
    session->finish(*cell);
    EXPECT_EQ(notebook()["cells"][0]["outputs"], json::parse(R"([
        {"output_type":"stream","name":"stdout","text":["a\nb\n"]},
        {"output_type":"stream","name":"stderr","text":["e\n"]},
        {"output_type":"stream","name":"stdout","text":["c\n"]}])"));
}

TEST_F(notebook_test, has_every_kind_of_output) {
    auto cell = add("x");
    cell->execution_count = 4;
    session->output(*cell, "display_data",
                    R"({"data":{"image/png":"QUJD"},"metadata":{"image/png":{"width":1}},"transient":{}})");
    session->output(*cell, "error", R"({"ename":"E","evalue":"v","traceback":["t"]})");
    session->output(*cell, "execute_result", R"({"execution_count":4,"data":{"text/plain":"2"},"metadata":{}})");
    session->finish(*cell);
    auto made = notebook()["cells"][0];
    EXPECT_EQ(made["cell_type"], "code");
    EXPECT_EQ(made["id"], "cell_1");
    EXPECT_EQ(made["execution_count"], 4);
    EXPECT_EQ(made["source"], "x");
    EXPECT_EQ(made["outputs"], json::parse(R"([
        {"output_type":"display_data","data":{"image/png":"QUJD"},"metadata":{"image/png":{"width":1}}},
        {"output_type":"error","ename":"E","evalue":"v","traceback":["t"]},
        {"output_type":"execute_result","execution_count":4,"data":{"text/plain":"2"},"metadata":{}}])"));
}

TEST_F(notebook_test, keeps_status_timings_and_jupyters_cell_id_in_metadata) {
    auto cell = add("x");
    cell->metadata = R"({"cellId":"abc","deletedCells":[]})";
    cell->reason = sessions::cell_reason::deadline;
    session->finish(*cell, sessions::cell_status::timeout);
    auto metadata = notebook()["cells"][0]["metadata"];
    EXPECT_EQ(metadata["cellId"], "abc");
    EXPECT_EQ(metadata["cellgate"]["status"], "timeout");
    EXPECT_EQ(metadata["cellgate"]["reason"], "deadline");
    EXPECT_EQ(metadata["cellgate"]["corrections"], json::array());
    EXPECT_EQ(metadata["execution"]["iopub.status.busy"], "1970-01-01T00:00:01.000000Z");
    EXPECT_EQ(metadata["execution"]["iopub.status.idle"], "1970-01-01T00:00:02.000000Z");
}

TEST_F(notebook_test, has_late_output_and_keeps_interleaved_cells_apart) {
    auto first = add("thread");
    session->print(*first, "1");
    session->finish(*first);
    auto second = add("other");
    session->print(*second, "x");
    session->print(*first, "2");
    session->print(*second, "y");
    session->finish(*second);
    auto cells = notebook()["cells"];
    EXPECT_EQ(joined(cells[0]["outputs"][0]["text"]), "12");
    EXPECT_EQ(joined(cells[1]["outputs"][0]["text"]), "xy");
}

TEST_F(notebook_test, shows_what_a_clear_output_left) {
    auto cell = add("x");
    session->print(*cell, "gone");
    session->output(*cell, "clear_output", R"({"wait":false})");
    session->print(*cell, "replaced");
    session->output(*cell, "clear_output", R"({"wait":true})");
    session->print(*cell, "kept");
    session->output(*cell, "clear_output", R"({"wait":true})");
    session->finish(*cell);
    auto outputs = notebook()["cells"][0]["outputs"];
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(joined(outputs[0]["text"]), "kept");
}

TEST_F(notebook_test, shows_a_display_as_it_was_last_updated) {
    auto cell = add("x");
    session->output(*cell, "display_data",
                    R"({"data":{"text/plain":"0 %"},"metadata":{},"transient":{"display_id":"d"}})");
    auto seq = session->output(*cell, "update_display_data",
                               R"({"data":{"text/plain":"100 %"},"metadata":{},"transient":{"display_id":"d"}})");
    cell->displays.push_back({seq, "display_data", "d"});
    session->finish(*cell);
    auto outputs = notebook()["cells"][0]["outputs"];
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0]["output_type"], "display_data");
    EXPECT_EQ(outputs[0]["data"]["text/plain"], "100 %");
}

// What nbformat 4.5 allows; the end-to-end tests ask nbformat itself.
TEST_F(notebook_test, has_no_count_below_zero) {
    auto cell = add("x");
    cell->execution_count = -3;
    session->output(*cell, "execute_result", R"({"execution_count":-1,"data":{},"metadata":{}})");
    session->output(*cell, "execute_result", R"({"data":{},"metadata":{}})");
    session->output(*cell, "execute_result", R"({"execution_count":1.5,"data":{},"metadata":{}})");
    session->finish(*cell);
    auto made = notebook()["cells"][0];
    EXPECT_EQ(made["execution_count"], nullptr);
    for (const auto& each : made["outputs"]) EXPECT_EQ(each["execution_count"], nullptr);
    EXPECT_EQ(made["outputs"].size(), 3u);
}

TEST_F(notebook_test, has_values_of_other_types_as_text_but_for_those_of_json_types) {
    auto cell = add("x");
    session->output(*cell, "display_data",
                    R"({"data":{"text/plain":5,"text/json":{"a":1},"application/json":[1],"application/x+json":2,)"
                    R"("image/svg+json":null,"application/y":["a",1]},"metadata":7})");
    session->output(*cell, "error", R"({"ename":5,"traceback":["a",7,null]})");
    session->output(*cell, "stream", R"({"name":7,"text":"t"})");
    session->finish(*cell);
    EXPECT_EQ(notebook()["cells"][0]["outputs"], json::parse(R"x([
        {"output_type":"display_data","metadata":{},"data":{"text/plain":"5","text/json":"{\"a\":1}",
         "application/json":[1],"application/x+json":2,"image/svg+json":"null","application/y":"[\"a\",1]"}},
        {"output_type":"error","ename":"","evalue":"","traceback":["a"]},
        {"output_type":"stream","name":"stdout","text":["t"]}])x"));
}

TEST_F(notebook_test, leaves_out_cells_without_a_history) {
    auto hidden = add("hidden");
    hidden->store_history = false;
    add("shown");
    auto cells = notebook()["cells"];
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0]["source"], "shown");
}

TEST_F(notebook_test, has_every_line_in_pieces_of_bounded_size) {
    auto cell = add("x");
    std::string expected;
    for (int line = 0; line < 20'000; ++line) {
        auto text = "line " + std::to_string(line);
        session->print(*cell, text + "\\n");
        expected += text + "\n";
    }
    session->finish(*cell);
    auto answer = open("GET", "/api/v1/sessions/ses_1/notebook");
    std::string all;
    std::size_t pieces = 0;
    while (auto piece = test_support::await(io, std::get<http::body_source>(answer.body)())) {
        EXPECT_LE(piece->size(), 256u << 10);
        all += *piece;
        ++pieces;
    }
    EXPECT_GE(pieces, 3u);
    EXPECT_EQ(joined(json::parse(all)["cells"][0]["outputs"][0]["text"]), expected);
}

TEST_F(notebook_test, keeps_text_that_is_not_utf8_as_far_as_it_is) {
    auto cell = add("x");
    session->output(*cell, "stream", "{\"name\":\"stdout\",\"text\":\"a\xff\"}");
    session->output(*cell, "stream", R"({"name":"stdout","text":"b\ud800c\\ud83d\ud83d\ude00\udc00"})");
    session->finish(*cell);
    EXPECT_EQ(joined(notebook()["cells"][0]["outputs"][0]["text"]), "a\uFFFDb\uFFFDc\\ud83d\U0001F600\uFFFD");
}

}  // namespace
}  // namespace gateway::api::agent
