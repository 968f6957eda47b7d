#include "gateway/api/agent/rpc.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::api::agent {
namespace {

using nlohmann::json;

TEST(rpc, reads_a_call) {
    auto frame = parse_rpc(R"({"jsonrpc":"2.0","id":7,"method":"execute","params":{"code":"1"}})");
    ASSERT_FALSE(frame.is_batch);
    const auto& call = frame.calls.at(0);
    EXPECT_FALSE(call.malformed);
    EXPECT_EQ(call.id, "7");
    EXPECT_EQ(call.method, "execute");
    EXPECT_EQ((*call.params)["code"], "1");
}

TEST(rpc, keeps_an_id_as_it_came_and_knows_a_notification) {
    EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":"a\"b","method":"status"})").calls[0].id, R"("a\"b")");
    EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":null,"method":"status"})").calls[0].id, "null");
    EXPECT_FALSE(parse_rpc(R"({"jsonrpc":"2.0","method":"status"})").calls[0].wants_answer());
    EXPECT_TRUE(parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"status","params":[]})").calls[0].params->is_object());
}

TEST(rpc, reads_a_batch) {
    auto frame = parse_rpc(R"([{"jsonrpc":"2.0","id":1,"method":"status"},7])");
    EXPECT_TRUE(frame.is_batch);
    ASSERT_EQ(frame.calls.size(), 2u);
    EXPECT_FALSE(frame.calls[0].malformed);
    EXPECT_EQ(frame.calls[1].malformed->code, rpc_code::invalid_request);
}

struct bad_frame {
    const char* frame;
    rpc_code code;
    const char* id;
};

class bad_rpc_test : public testing::TestWithParam<bad_frame> {};

TEST_P(bad_rpc_test, is_told_with_the_codes_of_the_specification) {
    auto frame = parse_rpc(GetParam().frame);
    ASSERT_EQ(frame.calls.size(), 1u);
    ASSERT_TRUE(frame.calls[0].malformed);
    EXPECT_EQ(frame.calls[0].malformed->code, GetParam().code);
    EXPECT_EQ(frame.calls[0].id, GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    frames, bad_rpc_test,
    testing::Values(
        bad_frame{"{", rpc_code::parse_error, "null"}, bad_frame{"\"\xff\"", rpc_code::parse_error, "null"},
        bad_frame{"", rpc_code::parse_error, "null"}, bad_frame{"[]", rpc_code::invalid_request, "null"},
        bad_frame{"7", rpc_code::invalid_request, "null"},
        bad_frame{R"({"id":1,"method":"status"})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"1.0","id":1,"method":"status"})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"2.0","id":1})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"2.0","id":1,"method":7})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"2.0","id":[],"method":"status"})", rpc_code::invalid_request, "null"},
        bad_frame{R"({"jsonrpc":"2.0","id":1,"method":"status","parms":{}})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"2.0","id":1,"method":"status","params":7})", rpc_code::invalid_request, "1"},
        bad_frame{R"({"jsonrpc":"2.0","id":1,"method":"status","params":[1]})", rpc_code::invalid_params, "1"}));

TEST(rpc, writes_results_and_errors) {
    EXPECT_EQ(rpc_result("7", R"({"a":1})"), R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
    auto error = json::parse(rpc_failure("7", {rpc_code::server_error, {errc::session_dead, "dead"}}, "req_1"));
    EXPECT_EQ(
        error["error"],
        json::parse(
            R"({"code":-32000,"message":"dead","data":{"code":"session_dead","status":409,"request_id":"req_1"}})"));
}

}  // namespace
}  // namespace gateway::api::agent
