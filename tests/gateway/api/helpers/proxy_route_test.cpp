#include "gateway/api/helpers/proxy_route.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/api/helpers/service_fixture.hpp"

namespace gateway::api::helpers {
namespace {

struct proxy_route : service_fixture {
    asio::thread_pool pool{1};
    test_support::temporary_directory home;
    std::unique_ptr<accounts::account_store> store =
        accounts::account_store::open(home.path(), "", accounts::account_rules{true}).value();
    std::unique_ptr<accounts::proxy> calls;
    account_rights rights{true, {"ada", {}}};

    void add_routes(endpoint& to) override {
        type = "application/json";
        body = R"({"login":"ada"})";
        accounts::proxy_options how;
        how.reach = outbound::address_policy::configured();
        calls = std::make_unique<accounts::proxy>(io.get_executor(), *store, pool, how);
        auto find_rights = [this](const std::string&) { return rights; };
        add_proxy_route(to, *calls, pool, find_rights, finder());
    }
    std::string add(const char* user = "ada", const char* alias = "") {
        accounts::account made;
        made.user_id = user;
        made.toolkit = "github";
        made.alias = alias;
        made.base_url = server.url("");
        return store->add(made, "the-secret-of-the-tests").value().id;
    }
    answer call(const std::string& more = R"(,"method":"POST","body":{})", const char* key = "good") {
        return send(post("/v1/proxy", R"({"toolkit_slug":"github","endpoint":"/x")" + more + "}", key));
    }
};

TEST_F(proxy_route, answers_with_what_the_service_answered) {
    add();
    auto got = call(R"(,"method":"POST","body":{"a":[1]})");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["status"], 200);
    EXPECT_EQ(got.body["data"], json::parse(R"({"login":"ada"})"));
    EXPECT_EQ(got.body["headers"]["content-type"], "application/json");
    EXPECT_EQ(sent.at(0), json::parse(R"({"a":[1]})"));
    EXPECT_EQ(meters->proxy.calls(), 1u);
}

TEST_F(proxy_route, an_error_of_the_service_is_an_answer) {
    add();
    status = "404 Not Found";
    auto got = call();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["status"], 404);
}

TEST_F(proxy_route, uses_the_accounts_of_the_sessions_user_only) {
    add("eve");
    expect_refusal(call(), 400, "no_account", "github");
    EXPECT_TRUE(sent.empty());
}

TEST_F(proxy_route, names_the_accounts_there_are_to_choose_from) {
    auto id = add("ada", "work");
    add("ada", "home");
    expect_refusal(call(), 400, "invalid_request", id);
    EXPECT_EQ(call(R"(,"method":"POST","body":{},"account":"work")").status, 200);
}

TEST_F(proxy_route, a_session_without_proxy_execution_calls_nothing) {
    add();
    rights.allowed = false;
    expect_refusal(call(), 403, "forbidden", "enable_proxy_execution");
    EXPECT_TRUE(sent.empty());
}

TEST_F(proxy_route, names_what_is_wrong) {
    add();
    expect_refusal(call(R"(,"nonsense":1)"), 400, "unknown_field", "nonsense");
    expect_refusal(send(post("/v1/proxy", "nonsense", "good")), 400, "invalid_request", "JSON object");
    expect_refusal(call("", "bad"), 401, "unauthorized", "key");
    expect_refusal(send(post("/v1/proxy", R"({"toolkit_slug":"github","endpoint":"https://evil.example/"})", "good")),
                   400, "origin_mismatch", "evil.example");
    EXPECT_TRUE(sent.empty());
}

TEST_F(proxy_route, takes_large_bodies_and_gives_large_answers) {
    add();
    body = json(std::string(200'000, 'x')).dump();
    auto got = call(R"(,"method":"POST","body":[")" + std::string(200'000, 'y') + "\"]");
    EXPECT_EQ(got.body["data"].get<std::string>().size(), 200'000u);
    EXPECT_EQ(sent.at(0)[0].get<std::string>().size(), 200'000u);
}

}  // namespace
}  // namespace gateway::api::helpers
