#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

class local_sandbox_test : public agent_fixture {
  protected:
    std::string add_without_sandbox() {
        sessions::session_options made;
        made.user_id = "ana";
        made.sandbox = R"({"enable":false})";
        return registry.add(std::move(made))->id();
    }
};

TEST_F(local_sandbox_test, gives_helpers_and_what_they_read) {
    const auto id = add_without_sandbox();
    auto given = call("POST", "/api/v1/sessions/" + id + "/local_sandbox");
    ASSERT_EQ(given.status, 200) << given.text;
    const auto& env = given.body["env"];
    EXPECT_EQ(env.size(), 3u);
    EXPECT_EQ(env["BACKEND_URL"], "http://gate.example:1");
    EXPECT_EQ(env["COMPOSIO_TOOLROUTER_SESSION_ID"], id);
    EXPECT_TRUE(env["COMPOSIO_WORKBENCH_ACCESS_KEY"].get<std::string>().starts_with("sak_"));
    EXPECT_NE(given.body["helper_source"].get<std::string>().find("def run_composio_tool("), std::string::npos);
}

TEST_F(local_sandbox_test, is_refused_while_the_sessions_own_sandbox_is_on) {
    add_session("ana", "own");
    auto given = call("POST", "/api/v1/sessions/own/local_sandbox");
    EXPECT_EQ(given.status, 409);
    EXPECT_EQ(given.code(), "conflict");
    EXPECT_NE(given.message().find("\"enable\": false"), std::string::npos);
}

TEST_F(local_sandbox_test, is_of_ones_own_session) {
    const auto id = add_without_sandbox();
    who = caller("bob", http::scope::session);
    EXPECT_EQ(call("POST", "/api/v1/sessions/" + id + "/local_sandbox").code(), "session_not_found");
}

TEST_F(local_sandbox_test, has_no_fields) {
    const auto path = "/api/v1/sessions/" + add_without_sandbox() + "/local_sandbox";
    EXPECT_EQ(call("POST", path, R"({"x":1})").code(), "unknown_field");
    EXPECT_EQ(call("POST", path, "{}").status, 200);
}

}  // namespace
}  // namespace gateway::api::agent
