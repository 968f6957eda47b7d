#include <gmock/gmock.h>

#include "tests/gateway/api/agent/agent_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* secret = "the-secret-of-the-tests";

class accounts_test : public agent_fixture {
  protected:
    accounts_test() {
        options.accounts = store.get();
        routes = {};
        add_agent_routes(routes, registry, options);
    }
    reply add(const std::string& more = "") {
        return call("POST", "/api/v1/accounts",
                    R"({"toolkit":"GitHub","base_url":"https://api.example.com/","auth_scheme":"bearer","secret":")" +
                        std::string(secret) + "\"" + more + "}");
    }

    test_support::temporary_directory home;
    std::unique_ptr<accounts::account_store> store = accounts::account_store::open(home.path(), "", {}).value();
};

TEST_F(accounts_test, adds_an_account_of_the_callers_and_never_shows_its_secret) {
    auto made = add(R"(,"alias":"work","hosts":["up.example.com"])");
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body["user_id"], "ana");
    EXPECT_EQ(made.body["toolkit"], "github");
    EXPECT_EQ(made.body["hosts"], json::array({"https://up.example.com"}));
    EXPECT_EQ(made.headers.at(0).second, "/api/v1/accounts/" + made.body["id"].get<std::string>());
    auto id = made.body["id"].get<std::string>();
    EXPECT_EQ(call("GET", "/api/v1/accounts/" + id).body, made.body);
    EXPECT_EQ(call("GET", "/api/v1/accounts").body["items"][0], made.body);
    for (const auto& each : {made.text, call("GET", "/api/v1/accounts").text})
        EXPECT_THAT(each, Not(HasSubstr(secret)));
    EXPECT_EQ(store->secret_of(id).value(), secret);
}

TEST_F(accounts_test, tells_how_an_account_authenticates) {
    auto made = call(
        "POST", "/api/v1/accounts",
        R"({"toolkit":"a","base_url":"https://a.example","auth_scheme":"api_key","in":"query","name":"key","secret":"12345678"})");
    EXPECT_EQ(made.body["in"], "query");
    EXPECT_EQ(made.body["name"], "key");
    made =
        call("POST", "/api/v1/accounts",
             R"({"toolkit":"b","base_url":"https://a.example","auth_scheme":"basic","username":"me","secret":"pw"})");
    EXPECT_EQ(made.body["username"], "me");
    EXPECT_FALSE(made.body.contains("in"));
}

TEST_F(accounts_test, another_users_account_is_not_there) {
    auto id = add().body["id"].get<std::string>();
    who = caller("eve", http::scope::session);
    for (const char* method : {"GET", "PATCH", "DELETE"}) {
        auto got = call(method, "/api/v1/accounts/" + id, "{}");
        EXPECT_EQ(got.status, 404) << method;
        EXPECT_EQ(got.code(), "account_not_found");
        EXPECT_EQ(got.message(), "there is no connected account " + id) << method;
    }
    EXPECT_TRUE(call("GET", "/api/v1/accounts").body["items"].empty());
    EXPECT_EQ(call("GET", "/api/v1/accounts?user_id=ana").status, 403);
    EXPECT_EQ(add(R"(,"user_id":"ana")").status, 403);
    who = caller("root", http::scope::admin);
    EXPECT_EQ(call("GET", "/api/v1/accounts/" + id).status, 200);
    EXPECT_EQ(call("GET", "/api/v1/accounts").body["items"].size(), 1u);
    EXPECT_EQ(add(R"(,"user_id":"bob")").body["user_id"], "bob");
}

TEST_F(accounts_test, a_key_that_only_executes_looks_and_changes_nothing) {
    auto id = add().body["id"].get<std::string>();
    who = caller("ana", http::scope::execute);
    EXPECT_EQ(call("GET", "/api/v1/accounts/" + id).status, 200);
    EXPECT_EQ(add().status, 403);
    EXPECT_EQ(call("PATCH", "/api/v1/accounts/" + id, "{}").status, 403);
    EXPECT_EQ(call("DELETE", "/api/v1/accounts/" + id).status, 403);
}

TEST_F(accounts_test, changes_and_removes) {
    auto id = add().body["id"].get<std::string>();
    auto changed =
        call("PATCH", "/api/v1/accounts/" + id, R"({"alias":"home","status":"disabled","secret":"another-secret"})");
    EXPECT_EQ(changed.body["alias"], "home");
    EXPECT_EQ(changed.body["status"], "disabled");
    EXPECT_EQ(store->secret_of(id).value(), "another-secret");
    EXPECT_EQ(call("DELETE", "/api/v1/accounts/" + id).body, (json{{"id", id}, {"deleted", true}}));
    EXPECT_EQ(call("DELETE", "/api/v1/accounts/" + id).status, 404);
}

TEST_F(accounts_test, lists_by_toolkit_and_in_pages) {
    for (int count = 0; count < 3; ++count) ASSERT_EQ(add().status, 201);
    EXPECT_TRUE(call("GET", "/api/v1/accounts?toolkit=gmail").body["items"].empty());
    auto first = call("GET", "/api/v1/accounts?limit=2&toolkit=GitHub");
    EXPECT_EQ(first.body["items"].size(), 2u);
    auto second = call("GET", "/api/v1/accounts?limit=2&cursor=" + first.body["next_cursor"].get<std::string>());
    EXPECT_EQ(second.body["items"].size(), 1u);
    EXPECT_FALSE(second.body.contains("next_cursor"));
}

TEST_F(accounts_test, a_body_that_is_no_json_is_not_repeated) {
    auto id = add().body["id"].get<std::string>();
    const std::string given(secret);
    for (const auto& body :
         {R"({"toolkit":"t","secret": ")" + given + R"(", bad)", R"({"secret": )" + given + "}",
          R"({"secret": ")" + given + "\n\"}", R"({"secret": ")" + given + R"(\ud800"})", "[\"" + given + "\"]", given,
          R"({"secret": ")" + given + "\xff\"}", R"({"code": ")" + given + R"(\ud800"})"}) {
        for (const auto& [method, path] :
             {std::pair<const char*, std::string>{"POST", "/api/v1/accounts"}, {"PATCH", "/api/v1/accounts/" + id}}) {
            auto got = call(method, path, body);
            EXPECT_EQ(got.status, 400) << body;
            EXPECT_THAT(got.text, Not(HasSubstr("the-secret"))) << body;
            EXPECT_THAT(got.message(), HasSubstr("must be a JSON object")) << body;
        }
    }
}

TEST_F(accounts_test, refuses_by_name_what_is_wrong_and_repeats_no_secret) {
    struct wrong {
        const char* body;
        const char* says;
    };
    const wrong all[] = {
        {"{}", "required"},
        {R"({"toolkit":"a","base_url":"https://a","secret":"12345678"})", "auth_scheme is required"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"oauth","secret":"12345678"})", "auth_scheme must be"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer"})", "secret is required"},
        {R"({"toolkit":"a","base_url":"http://a","auth_scheme":"bearer","secret":"12345678"})", "accounts.plain_http"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer","secret":"12 345678"})", "visible ASCII"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer","secret":"12345678","in":"query"})",
         "api_key only"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer","secret":"12345678","hosts":"x"})",
         "hosts must be"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer","secret":"12345678","hosts":[1]})",
         "hosts must be"},
        {R"({"toolkit":"a","base_url":"https://a","auth_scheme":"bearer","secret":"12345678","password":"x"})",
         "password"},
    };
    for (const auto& [body, says] : all) {
        auto got = call("POST", "/api/v1/accounts", body);
        EXPECT_EQ(got.status, 400) << body;
        EXPECT_THAT(got.message(), HasSubstr(says)) << body;
        EXPECT_THAT(got.text, Not(HasSubstr("345678"))) << body;
    }
    auto id = add().body["id"].get<std::string>();
    EXPECT_EQ(call("PATCH", "/api/v1/accounts/" + id, R"({"status":"gone"})").status, 400);
    EXPECT_EQ(call("PATCH", "/api/v1/accounts/" + id, R"({"base_url":"https://evil.example"})").code(),
              "unknown_field");
    EXPECT_EQ(call("GET", "/api/v1/accounts?limit=0").status, 400);
    EXPECT_EQ(call("GET", "/api/v1/accounts?nonsense=1").code(), "unknown_field");
}

}  // namespace
}  // namespace gateway::api::agent
