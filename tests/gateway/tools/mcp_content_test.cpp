#include "gateway/tools/mcp_content.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::tools {
namespace {

using nlohmann::json;

tool_answer call(const char* text) { return read_call(json::parse(text)); }

TEST(read_call, structured_content_is_the_data) {
    auto read = call(R"({"content":[{"type":"text","text":"x"}],"structuredContent":{"sum":5}})");
    EXPECT_EQ(read, (tool_answer{R"({"sum":5})", ""}));
}

TEST(read_call, a_single_text_that_is_an_object_is_the_data) {
    EXPECT_EQ(call(R"({"content":[{"type":"text","text":"{\"a\": [1]}"}]})").data, R"({"a":[1]})");
}

TEST(read_call, any_other_single_text_is_kept_as_text) {
    EXPECT_EQ(call(R"({"content":[{"type":"text","text":"Echo: hi"}]})").data, R"({"text":"Echo: hi"})");
    EXPECT_EQ(call(R"({"content":[{"type":"text","text":"[1]"}]})").data, R"({"text":"[1]"})");
}

TEST(read_call, other_content_comes_as_it_is) {
    EXPECT_EQ(call(R"({"content":[{"type":"image","data":"AA=="},{"type":"text","text":"b"}]})").data,
              R"({"content":[{"data":"AA==","type":"image"},{"text":"b","type":"text"}]})");
    EXPECT_EQ(call(R"({"content":[]})").data, R"({"content":[]})");
}

TEST(read_call, the_texts_of_a_failure_are_its_error) {
    auto read = call(
        R"({"content":[{"type":"text","text":"no"},{"type":"image"},{"type":"text","text":"way"}],"isError":true})");
    EXPECT_EQ(read, (tool_answer{"{}", "no\nway"}));
    EXPECT_EQ(call(R"({"content":[],"isError":true})").error, "the tool failed without saying why");
    EXPECT_EQ(call(R"({"content":[],"isError":true,"structuredContent":{"at":3}})").data, R"({"at":3})");
}

TEST(read_call, nonsense_is_an_empty_answer) {
    for (const char* each :
         {"null", "5", "[]", "{}", R"({"content":5})", R"({"isError":"yes"})", R"({"structuredContent":[1]})"})
        EXPECT_EQ(call(each), (tool_answer{R"({"content":[]})", ""})) << each;
}

TEST(read_initialize, takes_every_known_revision_and_no_other) {
    auto read = read_initialize(json::parse(
        R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}})"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->protocol, "2024-11-05");
    EXPECT_EQ(read->name, "n");
    EXPECT_TRUE(read->has_tools);
    EXPECT_FALSE(read_initialize(json::parse(R"({"protocolVersion":"2025-06-18","capabilities":{}})"))->has_tools);
    for (const char* each : {R"({"protocolVersion":"1999-01-01"})", "{}", "[]", "null"})
        EXPECT_EQ(read_initialize(json::parse(each)).error().code, errc::tool_failed) << each;
}

TEST(read_tool_page, reads_tools_and_where_the_next_page_begins) {
    auto page = read_tool_page(json::parse(
        R"({"tools":[{"name":"a","description":"d","inputSchema":{"type":"object"}},{"name":5},{}],"nextCursor":"c"})"));
    EXPECT_EQ(page.tools, (std::vector<tool>{{"a", "d", R"({"type":"object"})"}}));
    EXPECT_EQ(page.next_cursor, "c");
    EXPECT_TRUE(read_tool_page(json::parse("[]")).tools.empty());
}

TEST(params, are_json_objects) {
    EXPECT_EQ(list_params(""), "{}");
    EXPECT_EQ(list_params("a\"b"), R"({"cursor":"a\"b"})");
    EXPECT_EQ(call_params("get-sum", R"({"a":1})"), R"({"name":"get-sum","arguments":{"a":1}})");
    auto params = json::parse(initialize_params());
    EXPECT_EQ(params["protocolVersion"], "2025-06-18");
    EXPECT_EQ(params["clientInfo"]["name"], "cellgate");
    EXPECT_EQ(params["capabilities"], json::object());
}

}  // namespace
}  // namespace gateway::tools
