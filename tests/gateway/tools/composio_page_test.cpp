#include "gateway/tools/composio_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::tools {
namespace {

using nlohmann::json;

TEST(composio_page, has_the_tools_and_where_it_goes_on) {
    auto page = read_composio_page(R"({"items":[
        {"slug":"GITHUB_CREATE_ISSUE","name":"Create issue","description":"d","toolkit":{"slug":"github","name":"GitHub","logo":""},
         "input_parameters":{"type":"object","properties":{"title":{"type":"string"}}},"version":"20250909_00"},
        {"slug":"COMPOSIO_REMOTE_WORKBENCH","toolkit":{"slug":"composio"}},{"name":"no slug"},5],
        "next_cursor":"abc","total_items":2})");
    ASSERT_TRUE(page);
    ASSERT_EQ(page->tools.size(), 1u);
    EXPECT_EQ(page->tools[0],
              (composio_tool{"GITHUB_CREATE_ISSUE", "github", "Create issue", "d",
                             R"({"properties":{"title":{"type":"string"}},"type":"object"})", "20250909_00"}));
    EXPECT_EQ(page->next_cursor, "abc");
    EXPECT_EQ(read_composio_page(R"({"items":[],"next_cursor":null})")->next_cursor, "");
}

TEST(composio_page, that_is_none_is_a_failure) {
    for (const char* each : {"", "[]", "{}", R"({"items":{}})", "<html>"})
        EXPECT_EQ(read_composio_page(each).error().code, errc::tool_failed) << each;
}

TEST(composio_answer, is_ours_in_its_shape) {
    auto good =
        json::parse(read_composio_answer(R"({"data":{"a":1},"error":null,"successful":true,"log_id":"x"})").value());
    EXPECT_EQ(good["data"], json::parse(R"({"a":1})"));
    EXPECT_TRUE(good["error"].is_null());
    auto failed = json::parse(read_composio_answer(R"({"data":{},"error":"no such repo","successful":false})").value());
    EXPECT_EQ(failed["error"], "no such repo");
    EXPECT_EQ(json::parse(read_composio_answer(R"({"data":{},"error":null,"successful":false})").value())["error"],
              "the tool failed without saying why");
    EXPECT_EQ(json::parse(read_composio_answer(R"({"data":[1],"successful":true})").value())["data"]["value"],
              json::parse("[1]"));
    EXPECT_EQ(json::parse(read_composio_answer(R"({"data":null,"successful":true})").value())["data"], json::object());
}

TEST(composio_answer, that_is_none_is_a_failure) {
    for (const char* each : {"", "{}", R"({"data":{}})", R"({"data":{},"successful":"yes"})", "[]"})
        EXPECT_EQ(read_composio_answer(each).error().code, errc::tool_failed) << each;
}

TEST(composio_call, names_user_account_and_version) {
    composio_tool tool;
    tool.version = "v1";
    EXPECT_EQ(json::parse(composio_call(tool, R"({"x":1})", "ada", "ca_1")),
              json::parse(R"({"user_id":"ada","connected_account_id":"ca_1","version":"v1","arguments":{"x":1}})"));
    EXPECT_EQ(json::parse(composio_call({}, "{}", "ada", "")), json::parse(R"({"user_id":"ada","arguments":{}})"));
}

}  // namespace
}  // namespace gateway::tools
