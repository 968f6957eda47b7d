#include <gmock/gmock.h>

#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

using testing::HasSubstr;

class execute_test : public agent_fixture {
  protected:
    std::shared_ptr<test_support::fake_agent_session> session = add_session();
    http::response execute(const std::string& body) { return open("POST", "/api/v1/sessions/ses_1/execute", body); }
    std::optional<std::string> next(http::response& of) {
        return test_support::await(io, std::get<http::body_source>(of.body)());
    }
};

TEST_F(execute_test, sends_spaces_while_the_cell_runs_and_the_cell_last) {
    auto answer = execute(R"({"code":"1+1"})");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(next(answer), " ");
    EXPECT_EQ(next(answer), " ");
    auto cell = session->cell_at(0);
    session->start(*cell);
    session->print(*cell, "hello");
    session->finish(*cell);
    std::string text;
    while (auto piece = next(answer)) text += *piece;
    auto shown = json::parse(text);
    EXPECT_EQ(shown["cell_id"], "cell_1");
    EXPECT_EQ(shown["status"], "ok");
    EXPECT_EQ(shown["stdout"], "hello");
    EXPECT_EQ(shown["code"], "1+1");
}

TEST_F(execute_test, names_the_cell_before_its_end) {
    auto answer = execute(R"({"code":"1"})");
    ASSERT_EQ(answer.headers.size(), 1u);
    EXPECT_EQ(answer.headers[0], (std::pair<std::string, std::string>("x-cell-id", "cell_1")));
}

TEST_F(execute_test, passes_on_what_is_asked) {
    execute(
        R"({"code":"x","timeout_s":0.5,"store_history":false,"silent":true,"error_correction":false,"install":true,)"
        R"("current_step":"load","current_step_metric":{"rows":3},"idempotency_key":"k"})");
    ASSERT_EQ(session->executed.size(), 1u);
    const auto& asked = session->executed[0];
    EXPECT_EQ(asked.code, "x");
    EXPECT_EQ(asked.timeout, milliseconds(500));
    EXPECT_FALSE(asked.store_history);
    EXPECT_TRUE(asked.silent);
    EXPECT_FALSE(asked.allow_stdin);
    EXPECT_EQ(asked.settings.error_correction, sessions::correction_mode::off);
    EXPECT_EQ(asked.settings.install, true);
    EXPECT_EQ(asked.current_step, "load");
    EXPECT_EQ(asked.current_step_metric, R"({"rows":3})");
    EXPECT_EQ(asked.idempotency_key, "k");
}

TEST_F(execute_test, checks_everything_before_the_headers) {
    for (const auto* body :
         {"", "{}", R"({"code":1})", R"({"code":"x","timeout_s":-1})", R"({"code":"x","silent":"no"})",
          R"({"code":"x","install":1})", R"({"code":"x","allow_stdin":true})", R"({"code":"x","idempotency_key":""})",
          R"({"code":"x","tiemout_s":1})"}) {
        auto refused = call("POST", "/api/v1/sessions/ses_1/execute", body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_FALSE(refused.code().empty()) << body;
    }
    EXPECT_TRUE(session->executed.empty());
}

TEST_F(execute_test, takes_code_that_is_large_and_nothing_else) {
    std::string large(2u << 20, 'x');
    open("POST", "/api/v1/sessions/ses_1/execute", R"({"code":")" + large + "\\n\"}");
    ASSERT_EQ(session->executed.size(), 1u);
    EXPECT_EQ(session->executed[0].code, large + "\n");
    auto metric = [&](const std::string& text) {
        return call("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"x","current_step_metric":")" + text + "\"}");
    };
    auto refused = metric(large.substr(0, 20'000));
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.message(), "current_step_metric has 20002 bytes; at most 16384 are taken");
    EXPECT_EQ(metric(large).status, 413);
    EXPECT_THAT(metric(large).message(), testing::HasSubstr("beside code; at most 1048576 are taken"));
    auto step = R"({"code":"x","current_step":")" + large.substr(0, 5000) + "\"}";
    EXPECT_THAT(call("POST", "/api/v1/sessions/ses_1/execute", step).message(),
                testing::HasSubstr("current_step has 5000"));
    EXPECT_EQ(session->executed.size(), 1u);
}

TEST_F(execute_test, says_what_is_wrong_with_code_that_no_utf8_can_say) {
    auto refused = call("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"a\ud800\ud83d\ude00"})");
    EXPECT_EQ(refused.message(), R"(code has the escape \ud800, half of a surrogate pair, at byte 1)");
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/execute", "{\"code\":\"\xff\"}").message(),
              "the body is not UTF-8 at byte 9");
}

TEST_F(execute_test, takes_the_last_of_repeated_code) {
    open("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"a","code":"b"})");
    EXPECT_EQ(session->executed.at(0).code, "b");
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"a","code":7})").status, 400);
    open("POST", "/api/v1/sessions/ses_1/execute", R"({"code":7,"c\u006fde":"d"})");
    EXPECT_EQ(session->executed.at(1).code, "d");
}

TEST_F(execute_test, passes_on_a_refusal_of_the_session) {
    session->refuses = failure{errc::idempotency_mismatch, "other code"};
    auto refused = call("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"x"})");
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.code(), "idempotency_mismatch");
}

TEST_F(execute_test, answers_a_repeated_key_with_the_earlier_cell) {
    execute(R"({"code":"x","idempotency_key":"k"})");
    session->finish(*session->cell_at(0));
    auto again = call("POST", "/api/v1/sessions/ses_1/execute", R"({"code":"x","idempotency_key":"k"})");
    EXPECT_EQ(again.body["cell_id"], "cell_1");
    EXPECT_EQ(session->executed.size(), 1u);
}

}  // namespace
}  // namespace gateway::api::agent
