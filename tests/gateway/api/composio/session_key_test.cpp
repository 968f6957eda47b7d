// A session's own key: for what runs in or beside its sandbox.
#include <gtest/gtest.h>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

class composio_session_key : public composio_fixture {
  protected:
    void SetUp() override {
        composio_fixture::SetUp();
        create();
        key = session_keys.key_of(id);
    }
    // Without any key but this.
    reply ask(const std::string& method, const std::string& path, const std::string& body, const std::string& with,
              const std::string& more = "") {
        const auto request = method + " " + path +
                             " HTTP/1.0\r\nHost: localhost:8888\r\nx-session-access-key: " + with + "\r\n" + more +
                             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        return connection(io, directory.path() + "/s", request).finish();
    }
    const std::string add = R"({"tool_slug":"DEMO_ADD","arguments":{"a":1,"b":1}})";
    std::string key;
};

TEST_F(composio_session_key, calls_tools_of_its_session) {
    for (const char* prefix : {"/api/v3/tool_router/session/", "/api/v3.1/tool_router/session/"}) {
        auto made = ask("POST", prefix + id + "/execute", add, key);
        EXPECT_EQ(made.status, 200);
        EXPECT_EQ(made.body["data"]["sum"], 2);
    }
    EXPECT_EQ(ask("GET", base + "/" + id, "", key).status, 200);
    EXPECT_EQ(ask("POST", base + "/" + id + "/link", R"({"toolkit":"demo"})", key).status, 400);
}

TEST_F(composio_session_key, does_what_the_scope_execute_may_with_its_session) {
    EXPECT_EQ(ask("GET", base + "/" + id + "/tools", "", key).status, 200);
    EXPECT_EQ(ask("POST", base + "/" + id + "/mounts/files/upload_url", R"({"mount_relative_path":"a"})", key).status,
              201);
}

TEST_F(composio_session_key, is_good_for_nothing_else) {
    EXPECT_EQ(ask("PATCH", base + "/" + id, "{}", key).status, 403);
    EXPECT_EQ(ask("DELETE", base + "/" + id, "", key).status, 403);
    EXPECT_EQ(ask("POST", base, R"({"user_id":"ana"})", key).status, 403);
    const auto own = id;
    create();
    EXPECT_NE(id, own);
    EXPECT_EQ(ask("POST", base + "/" + id + "/execute", add, key).status, 403);
}

TEST_F(composio_session_key, must_be_right_and_of_a_living_session) {
    EXPECT_EQ(ask("POST", base + "/" + id + "/execute", add, "wrong").status, 401);
    EXPECT_EQ(ask("POST", base + "/" + id + "/execute", add, "").status, 401);
    call("DELETE", base + "/" + id);
    EXPECT_EQ(ask("POST", base + "/" + id + "/execute", add, key).status, 401);
}

}  // namespace
}  // namespace gateway::api::composio
