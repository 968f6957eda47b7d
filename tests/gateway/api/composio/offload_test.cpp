// Results that are too large for an answer.
#include "gateway/api/composio/offload.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "gateway/base/base64.hpp"
#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(preview, of_what_is_small_is_the_whole) {
    auto made = preview_of(R"({"a":[1,2,3],"b":"text"})", 1'000);
    EXPECT_TRUE(made.is_whole);
    EXPECT_EQ(json::parse(made.text), (json{{"a", {1, 2, 3}}, {"b", "text"}}));
}

TEST(preview, cuts_arrays_and_texts_and_says_so) {
    json large = {{"rows", json::array()}, {"note", std::string(3'000, 'x')}};
    for (int at = 0; at < 500; ++at) large["rows"].push_back({{"id", at}});
    auto made = preview_of(large.dump(), 2'000);
    EXPECT_FALSE(made.is_whole);
    EXPECT_LE(made.text.size(), 2'000u);
    auto shown = json::parse(made.text);
    EXPECT_EQ(shown["rows"][0]["id"], 0);
    EXPECT_THAT(shown["rows"].back().get<std::string>(), StartsWith("..."));
    EXPECT_THAT(shown["note"].get<std::string>(), HasSubstr("more characters"));
}

TEST(preview, of_what_cannot_be_cut_small_is_its_head) {
    json wide = json::object();
    for (int at = 0; at < 100; ++at) wide[std::string(500, 'k') + std::to_string(at)] = at;
    auto made = preview_of(wide.dump(), 300);
    EXPECT_FALSE(made.is_whole);
    EXPECT_TRUE(json::parse(made.text).contains("beginning_of_json"));
}

TEST(preview, never_cuts_within_a_character) {
    auto made = preview_of(json{{"t", std::string("é") + std::string(1u << 20, 'x')}}.dump(), 10);
    EXPECT_FALSE(json::parse(made.text, nullptr, false).is_discarded());
}

TEST(base64, takes_what_the_rfc_has_and_nothing_else) {
    EXPECT_EQ(from_base64(""), "");
    EXPECT_EQ(from_base64("aGk="), "hi");
    EXPECT_EQ(from_base64("aA=="), "h");
    for (const char* bad : {"a", "====", "=AAA", "A===", "aG k", "aGk=\n", "aGk=aGk=", "____"})
        EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
}

class composio_offload : public composio_fixture {
  protected:
    void make(const std::string& workbench) { create(R"({"user_id":"ana","workbench":)" + workbench + "}"); }
    json many(bool sync) {
        const std::string one = R"({"tool_slug":"DEMO_ADD","arguments":{"a":1,"b":1}})";
        return post("/execute",
                    R"({"tool_slug":"COMPOSIO_MULTI_EXECUTE_TOOL","arguments":{"session_id":"fish","tools":[)" + one +
                        "," + one + R"(],"sync_response_to_workbench":)" + (sync ? "true" : "false") + "}}")
            .body["data"];
    }
    // As code in the sandbox reads it.
    json file(const std::string& path) {
        std::ifstream from(session()->files_directory() + path.substr(std::string("/mnt/files").size()));
        std::ostringstream all;
        all << from.rdbuf();
        return json::parse(all.str());
    }
};

TEST_F(composio_offload, leaves_small_results_in_the_answer) {
    make("{}");
    auto data = many(false);
    EXPECT_EQ(data["results"][1]["response"]["data"]["sum"], 2);
    EXPECT_TRUE(data["remote_file_info"].is_null());
}

TEST_F(composio_offload, writes_a_file_of_its_own_for_each_answer_that_is_wanted_there) {
    make("{}");
    auto first = many(true);
    auto path = first["remote_file_info"]["file_path"].get<std::string>();
    EXPECT_THAT(path, StartsWith("/mnt/files/mex/fish_"));
    EXPECT_EQ(file(path)["results"][1]["response"]["data"]["sum"], 2);
    EXPECT_EQ(first["results"][0]["response"]["data_preview"]["sum"], 2);
    EXPECT_EQ(first["results"][0]["response"]["incomplete"], false);
    EXPECT_NE(many(true)["remote_file_info"]["file_path"], path);
}

TEST_F(composio_offload, moves_what_is_over_the_threshold) {
    make(R"({"auto_offload_threshold":10})");
    EXPECT_THAT(many(false)["remote_file_info"]["message"].get<std::string>(), HasSubstr("Saved large response to"));
}

TEST_F(composio_offload, keeps_everything_in_the_answer_where_there_is_no_sandbox) {
    make(R"({"auto_offload_threshold":0,"enable":false})");
    auto data = many(true);
    EXPECT_EQ(data["results"][0]["response"]["data"]["sum"], 2);
    EXPECT_TRUE(data["remote_file_info"].is_null());
}

TEST_F(composio_offload, moves_a_tools_own_result_only_when_its_caller_can_cope) {
    make(R"({"auto_offload_threshold":5})");
    const std::string call_text = R"({"tool_slug":"DEMO_ADD","arguments":{"a":1,"b":1})";
    EXPECT_EQ(post("/execute", call_text + "}").body["data"]["sum"], 2);
    auto data = post("/execute", call_text + R"(,"enable_auto_workbench_offload":true})").body["data"];
    EXPECT_EQ(data["data_preview"]["sum"], 2);
    EXPECT_EQ(file(data["remote_file_info"]["file_path"])["results"][0]["response"]["data"]["sum"], 2);
}

TEST_F(composio_offload, says_what_is_lost_when_the_file_cannot_be_written) {
    make("{}");
    std::ofstream(session()->files_directory() + "/mex") << "in the way";
    auto data = many(true);
    EXPECT_TRUE(data["remote_file_info"]["file_path"].is_null());
    EXPECT_THAT(data["remote_file_info"]["message"].get<std::string>(), HasSubstr("could not be saved"));
}

}  // namespace
}  // namespace gateway::api::composio
