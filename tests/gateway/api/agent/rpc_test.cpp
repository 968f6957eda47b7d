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
    EXPECT_EQ(call.params->code, "1");
}

TEST(rpc, keeps_an_id_as_it_came_and_knows_a_notification) {
    EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":"a\"b","method":"status"})").calls[0].id, R"("a\"b")");
    EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":null,"method":"status"})").calls[0].id, "null");
    EXPECT_FALSE(parse_rpc(R"({"jsonrpc":"2.0","method":"status"})").calls[0].wants_answer());
    EXPECT_TRUE(
        parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"status","params":[]})").calls[0].params->members.empty());
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

TEST(rpc, takes_large_code_and_nothing_else) {
    std::string large(2u << 20, 'x');
    auto call_with = [&](const std::string& name) {
        return parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"execute","params":{")" + name + R"(":")" + large + "\"}}")
            .calls.at(0);
    };
    EXPECT_EQ(call_with("code").params->code, large);
    auto refused = call_with("idempotency_key");
    ASSERT_TRUE(refused.malformed);
    EXPECT_EQ(refused.malformed->code, rpc_code::invalid_params);
    EXPECT_EQ(refused.malformed->why.code, errc::too_large);
    EXPECT_EQ(refused.id, "1");
}

TEST(rpc, bounds_a_batch_and_what_an_answer_repeats) {
    std::string calls;
    for (std::size_t at = 0; at < most_batch_calls; ++at) calls += "{},";
    auto refused = parse_rpc("[" + calls + "{}]");
    ASSERT_EQ(refused.calls.size(), 1u);
    EXPECT_EQ(refused.calls[0].malformed->why.message, "a batch has at most 1000 calls");
    EXPECT_EQ(parse_rpc("[" + calls + "{}").calls.size(), 1u);
    std::string name(5000, 'x');
    for (const auto& frame : {R"({"jsonrpc":"2.0","id":")" + name + R"(","method":"status"})",
                              R"({"jsonrpc":"2.0","id":1,"method":")" + name + "\"}",
                              R"({"jsonrpc":"2.0","id":1,"method":"status",")" + name + R"(":1})", "{\"" + name}) {
        auto call = parse_rpc(frame).calls.at(0);
        ASSERT_TRUE(call.malformed) << frame;
        EXPECT_LT(call.id.size() + call.malformed->why.message.size(), 600u) << call.malformed->why.message;
    }
}

TEST(rpc, says_what_is_wrong_with_a_frame) {
    auto problem = [](const std::string& frame) { return parse_rpc(frame).calls.at(0).malformed->why.message; };
    EXPECT_EQ(problem("{\"id\":\"\xff\"}"), "the frame is not UTF-8 at byte 7");
    EXPECT_EQ(problem("[" + std::string(3000, '[')), "the frame is nested deeper than 1024 levels");
    EXPECT_EQ(problem(R"({"jsonrpc":"2.0","id":1,"method":"execute","params":{"code":"\ud800"}})"),
              R"(code has the escape \ud800, half of a surrogate pair, at byte 0)");
    EXPECT_EQ(problem("[1,]").substr(0, 21), "the frame is not JSON");
}

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
