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
    execute(R"({"code":"x","timeout_s":0.5,"store_history":false,"silent":true,"error_correction":false,)"
            R"("current_step":"load","current_step_metric":{"rows":3},"idempotency_key":"k"})");
    ASSERT_EQ(session->executed.size(), 1u);
    const auto& asked = session->executed[0];
    EXPECT_EQ(asked.code, "x");
    EXPECT_EQ(asked.timeout, milliseconds(500));
    EXPECT_FALSE(asked.store_history);
    EXPECT_TRUE(asked.silent);
    EXPECT_FALSE(asked.allow_stdin);
    EXPECT_EQ(asked.error_correction, "false");
    EXPECT_EQ(asked.current_step, "load");
    EXPECT_EQ(asked.current_step_metric, R"({"rows":3})");
    EXPECT_EQ(asked.idempotency_key, "k");
}

TEST_F(execute_test, checks_everything_before_the_headers) {
    for (const auto* body : {"", "{}", R"({"code":1})", R"({"code":"x","timeout_s":-1})",
                             R"({"code":"x","silent":"no"})", R"({"code":"x","allow_stdin":true})",
                             R"({"code":"x","idempotency_key":""})", R"({"code":"x","tiemout_s":1})"}) {
        auto refused = call("POST", "/api/v1/sessions/ses_1/execute", body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_FALSE(refused.code().empty()) << body;
    }
    EXPECT_TRUE(session->executed.empty());
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
