#include <gmock/gmock.h>

#include <future>

#include "tests/gateway/api/composio/composio_fixture.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;
using testing::Not;

class composio_proxy : public composio_fixture {
  protected:
    void SetUp() override {
        accounts::proxy_options how;
        how.reach = outbound::address_policy::configured();
        calls = std::make_unique<accounts::proxy>(io.get_executor(), *store, pool, how);
        options.proxy = calls.get();
        composio_fixture::SetUp();
    }
    void TearDown() override {
        composio_fixture::TearDown();
        test_support::await(io, service.stop());
    }
    std::string add(const std::string& user, const std::string& alias) {
        accounts::account made;
        made.user_id = user;
        made.toolkit = "github";
        made.alias = alias;
        made.base_url = service.url("");
        return store->add(made, "the-secret-of-" + alias).value().id;
    }
    // As @composio/core sends it.
    reply call(const std::string& endpoint = "/user") {
        return post("/proxy_execute",
                    R"({"toolkit_slug":"github","endpoint":")" + endpoint +
                        R"(","method":"GET","parameters":[{"name":"q","type":"query","value":"1"}]})");
    }

    reply call_with_own_key() {
        const std::string body = R"({"toolkit_slug":"github","endpoint":"/user","method":"GET"})";
        const auto request = "POST " + base + "/" + id + "/proxy_execute HTTP/1.0\r\nHost: localhost:8888\r\n" +
                             "x-session-access-key: " + session_keys.key_of(id) +
                             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        return connection(io, directory.path() + "/s", request).finish();
    }
    void patch(const std::string& body) {
        EXPECT_EQ(composio_fixture::call("PATCH", base + "/" + id, body).status, 200) << body;
    }

    bool holds = false;  // no answer, until the caller leaves
    std::string type = "application/json";
    std::string body = R"({"login":"ana"})";
    test_support::scripted_server service{io.get_executor(), [this](test_support::exchange& on) -> awaitable<void> {
                                              if (holds) co_await on.wait_for_close();
                                              co_await on.answer("200 OK", type, body);
                                          }};
    test_support::temporary_directory home;
    std::unique_ptr<accounts::account_store> store =
        accounts::account_store::open(home.path(), "", accounts::account_rules{true}).value();
    std::unique_ptr<accounts::proxy> calls;
};

TEST_F(composio_proxy, calls_with_the_account_of_the_sessions_user) {
    add("ana", "work");
    add("eve", "hers");
    create();
    auto got = call();
    ASSERT_EQ(got.status, 200) << got.text;
    EXPECT_EQ(got.body["status"], 200);
    EXPECT_EQ(got.body["data"], json::parse(R"({"login":"ana"})"));
    EXPECT_THAT(service.requests().at(0), HasSubstr("GET /user?q=1 "));
    EXPECT_THAT(service.requests().at(0), HasSubstr("Bearer the-secret-of-work"));
    EXPECT_THAT(got.text, Not(HasSubstr("the-secret")));
}

TEST_F(composio_proxy, what_is_no_text_has_a_url_that_holds_it) {
    add("ana", "work");
    create();
    type = "image/png";
    body = std::string("\x89PNG\0", 5);
    auto got = call();
    EXPECT_FALSE(got.body.contains("data"));
    EXPECT_EQ(got.body["binary_data"]["url"], "data:image/png;base64,iVBORwA=");
    EXPECT_EQ(got.body["binary_data"]["size"], 5);
    EXPECT_EQ(got.body["binary_data"]["content_type"], "image/png");
}

TEST_F(composio_proxy, uses_the_account_that_the_session_pins) {
    add("ana", "work");
    auto home_id = add("ana", "home");
    create();
    EXPECT_THAT(call().error(), HasSubstr("several connected accounts"));
    create(R"({"user_id":"ana","connected_accounts":{"GitHub":[")" + home_id + R"("]}})");
    EXPECT_EQ(call().status, 200);
    EXPECT_THAT(service.requests().back(), HasSubstr("the-secret-of-home"));
    auto rights = routes_of->rights_of(*session());
    EXPECT_EQ(rights.whose.user_id, "ana");
    EXPECT_EQ(rights.whose.pinned.at("github"), std::vector<std::string>{home_id});
    EXPECT_TRUE(rights.from_cells);
}

TEST_F(composio_proxy, may_be_taken_from_cells_and_not_from_clients) {
    add("ana", "work");
    create(R"({"user_id":"ana","workbench":{"enable_proxy_execution":false}})");
    EXPECT_FALSE(routes_of->rights_of(*session()).from_cells);
    EXPECT_EQ(call().status, 200);
}

TEST_F(composio_proxy, may_be_taken_by_the_sessions_own_api_from_all_that_works_beside_the_sandbox) {
    sessions::session_options elsewhere;
    elsewhere.user_id = "ana";
    elsewhere.sandbox = R"({"enable":false,"enable_proxy_execution":false})";
    id = registry.add(elsewhere)->id();
    add("ana", "work");
    auto shown = [this] {
        return composio_fixture::call("GET", base + "/" + id).body["config"]["workbench"]["proxy_execution_enabled"];
    };
    EXPECT_EQ(call_with_own_key().status, 403);
    EXPECT_FALSE(routes_of->rights_of(*session()).from_cells);
    EXPECT_EQ(shown(), false);
    // Another key of the workbench leaves it as it is; its own gives it back.
    patch(R"({"workbench":{"auto_offload_threshold":5}})");
    EXPECT_EQ(call_with_own_key().status, 403);
    EXPECT_EQ(shown(), false);
    patch(R"({"workbench":{"enable_proxy_execution":true}})");
    EXPECT_EQ(call_with_own_key().status, 200);
    EXPECT_TRUE(routes_of->rights_of(*session()).from_cells);
    EXPECT_THAT(session()->options().sandbox, HasSubstr(R"("enable_proxy_execution":true)"));
    sessions::session_change again;
    again.sandbox = R"({"enable_proxy_execution":false})";
    EXPECT_TRUE(test_support::await(io, registry.change(id, again)));
    EXPECT_EQ(call_with_own_key().status, 403);
    EXPECT_EQ(call().status, 200);
}

TEST_F(composio_proxy, that_the_configuration_turns_off_is_off_for_the_sessions_own_key) {
    add("ana", "work");
    create(R"({"user_id":"ana","workbench":{"enable_proxy_execution":false}})");
    EXPECT_EQ(call_with_own_key().status, 403);
    EXPECT_THAT(session()->options().sandbox, HasSubstr(R"("enable_proxy_execution":false)"));
}

TEST_F(composio_proxy, uses_no_account_where_the_session_pins_none) {
    add("ana", "work");
    create(R"({"user_id":"ana","connected_accounts":{"GitHub":[]}})");
    EXPECT_THAT(call().error(), HasSubstr("lets in no account for github"));
    EXPECT_TRUE(service.requests().empty());
}

TEST_F(composio_proxy, takes_as_much_as_other_calls_do) {
    add("ana", "work");
    create();
    // From a thread of its own: a connection takes no more than the server reads.
    auto with_body = [this](std::size_t bytes) {
        const auto body =
            R"({"toolkit_slug":"github","endpoint":"/user","method":"POST","body":")" + std::string(bytes, 'a') + "\"}";
        const auto request = "POST " + base + "/" + id + "/proxy_execute HTTP/1.0\r\nHost: localhost:8888\r\n" +
                             "x-api-key: root\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        auto ask = [&] {
            asio::io_context own;
            return connection(own, directory.path() + "/s", request).finish();
        };
        auto answer = std::async(std::launch::async, ask);
        auto is_there = [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
        EXPECT_TRUE(test_support::run_until(io, is_there, std::chrono::seconds(30)));
        return answer.get();
    };
    EXPECT_EQ(with_body(100'000).status, 200);
    EXPECT_EQ(with_body(16u << 20).status, 413);
    EXPECT_EQ(service.requests().size(), 1u);
    body = "\"" + std::string(100'000, 'b') + "\"";
    EXPECT_EQ(call().body["data"].get<std::string>().size(), 100'000u);
}

TEST_F(composio_proxy, is_answered_when_the_gateway_stops) {
    add("ana", "work");
    create();
    holds = true;
    auto waiting = open("POST", base + "/" + id + "/proxy_execute",
                        R"({"toolkit_slug":"github","endpoint":"/user","method":"GET"})");
    auto is_there = [this] { return !service.requests().empty(); };
    ASSERT_TRUE(test_support::run_until(io, is_there, std::chrono::seconds(10)));
    test_support::await(io, routes_of->stop());
    auto told = waiting.finish();
    EXPECT_EQ(told.status, 503) << told.text;
    EXPECT_THAT(told.error(), HasSubstr("the gateway is stopping"));
    EXPECT_EQ(call().status, 503);
}

TEST_F(composio_proxy, refuses_with_what_to_do) {
    create();
    EXPECT_EQ(call().status, 400);
    EXPECT_THAT(call().error(), HasSubstr("no connected account"));
    add("ana", "work");
    auto elsewhere = call("https://evil.example/");
    EXPECT_EQ(elsewhere.status, 400);
    EXPECT_THAT(elsewhere.error(), HasSubstr("none of the hosts"));
    EXPECT_EQ(post("/proxy_execute", "{}").status, 400);
    EXPECT_EQ(composio_fixture::call("POST", base + "/ses_none/proxy_execute", "{}").status, 404);
}

}  // namespace
}  // namespace gateway::api::composio
