#include "gateway/tools/mcp_message.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::tools {
namespace {

using kind = mcp_message::kind;

mcp_message only(std::string_view text) {
    auto found = decode_mcp(text);
    EXPECT_EQ(found.size(), 1u) << text;
    return found.empty() ? mcp_message() : found.front();
}

TEST(decode_mcp, reads_an_answer) {
    auto read = only(R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})");
    EXPECT_EQ(read.what, kind::answer);
    EXPECT_EQ(read.number, 7u);
    EXPECT_EQ(to_text(*read.result), R"({"tools":[]})");
}

TEST(decode_mcp, reads_an_error) {
    auto read = only(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such tool"}})");
    EXPECT_EQ(read.what, kind::answer);
    EXPECT_FALSE(read.result);
    EXPECT_EQ(read.error_code, rpc_invalid_params);
    EXPECT_EQ(read.error, "no such tool");
    EXPECT_EQ(only(R"({"id":7,"error":"broken"})").error, "the server gave no reason");
}

TEST(decode_mcp, reads_a_request_with_any_kind_of_id) {
    EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})").id, R"("a\"b")");
    EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":-3,"method":"ping"})").id, "-3");
    EXPECT_EQ(only(R"({"jsonrpc":"2.0","id":3,"method":"ping"})").what, kind::request);
}

TEST(decode_mcp, reads_a_notification) {
    auto read = only(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    EXPECT_EQ(read.what, kind::notification);
    EXPECT_EQ(read.method, "notifications/tools/list_changed");
}

TEST(decode_mcp, reads_the_messages_of_an_array) {
    EXPECT_EQ(decode_mcp(R"([{"id":1,"result":{}},5,{"method":"a"}])").size(), 2u);
}

TEST(decode_mcp, leaves_out_what_is_no_message) {
    for (const char* each : {"", "Server listening on port 3000", "5", "null", "{}", "{", R"({"id":"x","result":1})",
                             R"({"id":-1,"result":1})", R"({"id":1.5,"result":1})", R"({"id":[],"method":"a"})",
                             "{\"id\":1,", R"({"method":5})", "{\"a\":1", "[info] {\"jsonrpc\":1,",
                             R"({"jsonrpc":"2.0","method":"notifications/message","params":{)",
                             R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{)"})
        EXPECT_TRUE(decode_mcp(each).empty()) << each;
}

TEST(decode_mcp, says_why_an_answer_cannot_be_read) {
    auto why = [](std::string_view text) {
        auto read = only(text);
        EXPECT_EQ(read.what, kind::answer) << text;
        EXPECT_EQ(read.number, 7u) << text;
        EXPECT_FALSE(read.result) << text;
        return read.error;
    };
    const std::string begins = "the server's answer cannot be read: ";
    for (const char* result : {"5", "null", "[]", "\"x\"", "true"})
        EXPECT_EQ(why(R"({"jsonrpc":"2.0","id":7,"result":)" + std::string(result) + "}"),
                  begins + "its result is not an object");
    EXPECT_EQ(why(R"({"id":7})"), begins + "it has neither a result nor an error");
    EXPECT_EQ(why("{\"id\":7,\"result\":{\"a\":\"\xff\"}}"), begins + "it is not JSON in UTF-8");
    EXPECT_EQ(why(R"({"jsonrpc":"2.0","id":7,"result":{)"), begins + "it is not JSON in UTF-8");
    EXPECT_EQ(only("{\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"\xff\"}}").what, kind::unreadable);
    EXPECT_EQ(only("{\"jsonrpc\":\"2.0\",\"id\":7").what, kind::unreadable);
}

TEST(decode_mcp, refuses_what_is_nested_too_deeply) {
    auto nested = [](std::size_t depth) {
        return R"({"id":1,"result":{"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}}";
    };
    EXPECT_TRUE(only(nested(max_json_depth - 2)).result);
    EXPECT_EQ(only(nested(max_json_depth)).error,
              "the server's answer cannot be read: it is nested deeper than 500 levels");
    EXPECT_FALSE(only(nested(1'000'000)).result);
    EXPECT_TRUE(
        only(R"({"id":1,"result":{"a":")" + std::string(2000, '[') + R"(\"[["}})").result);  // in a text it is none
}

TEST(encode_mcp, what_is_written_can_be_read) {
    EXPECT_EQ(encode_request(3, "tools/call", R"({"name":"x"})"),
              R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}})");
    EXPECT_EQ(only(encode_request(3, "ping", "{}")).id, "3");
    EXPECT_EQ(only(encode_notification("notifications/initialized", "{}")).method, "notifications/initialized");
    EXPECT_EQ(only(encode_answer("3", "{}")).number, 3u);
    EXPECT_EQ(only(encode_refusal("3", rpc_method_not_found, "no \"x\"")).error, "no \"x\"");
}

}  // namespace
}  // namespace gateway::tools
