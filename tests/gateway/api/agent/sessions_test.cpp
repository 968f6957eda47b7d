#include <gmock/gmock.h>

#include "gateway/api/agent/request_object.hpp"
#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

using testing::HasSubstr;

class sessions_test : public agent_fixture {};

TEST_F(sessions_test, makes_a_session_of_the_callers_and_answers_at_once) {
    auto made = call("POST", "/api/v1/sessions", R"({"name":"work","cell_timeout_s":2.5})");
    EXPECT_EQ(made.status, 201);
    EXPECT_EQ(made.body["id"], "ses_1");
    EXPECT_EQ(made.body["name"], "work");
    EXPECT_EQ(made.body["user_id"], "ana");
    EXPECT_EQ(made.body["kernel"]["name"], "python3");
    EXPECT_EQ(made.body["cell_timeout_s"], 2.5);
    EXPECT_EQ(made.body["error_correction"], true);
    EXPECT_EQ(made.body["jupyter_error_correction"], "report");
    EXPECT_EQ(made.body["install"], true);
    EXPECT_EQ(made.body["jupyter_install"], false);
    EXPECT_EQ(made.headers.at(0).second, "/api/v1/sessions/ses_1");
}

TEST_F(sessions_test, passes_on_all_that_a_session_is_made_with) {
    auto made = call("POST", "/api/v1/sessions",
                     R"({"kernel_name":"ir","sandbox":{"enable":true,"size":2},"env":{"A":"1"},"idle_timeout_s":10,)"
                     R"("lifetime_s":20,"error_correction":"report","install":false,"user_id":null})");
    ASSERT_EQ(made.status, 201) << made.text;
    const auto& options = registry.list().at(0)->options();
    EXPECT_EQ(options.kernel_name, "ir");
    EXPECT_EQ(json::parse(options.sandbox), json::parse(R"({"enable":true,"size":2})"));
    EXPECT_EQ(options.env.at("A"), "1");
    EXPECT_EQ(options.idle_timeout, milliseconds(10'000));
    EXPECT_EQ(options.lifetime, milliseconds(20'000));
    EXPECT_EQ(options.settings.error_correction, sessions::correction_mode::report);
    EXPECT_EQ(options.settings.install, false);
    EXPECT_EQ(made.body["install"], false);
    EXPECT_EQ(made.body["sandbox"]["size"], 2);
    EXPECT_EQ(made.body["idle_timeout_s"], 10);
}

TEST_F(sessions_test, tells_the_size_of_the_sandbox_and_what_it_has) {
    auto made = call("POST", "/api/v1/sessions", R"({"sandbox":{"sandbox_size":"large","enable":null,"mine":[1]}})");
    EXPECT_EQ(made.body["sandbox"],
              json::parse(R"({"enable":true,"sandbox_size":"large","cpus":4,)"
                          R"("memory_bytes":4294967296,"disk_bytes":null,"files_bytes":null,"mine":[1]})"));
}

TEST_F(sessions_test, changes_what_a_patch_names_and_nothing_else) {
    call("POST", "/api/v1/sessions",
         R"({"name":"work","cell_timeout_s":5,"idle_timeout_s":6,"install":false,)"
         R"("sandbox":{"sandbox_size":"large","mine":1}})");
    auto changed = call("PATCH", "/api/v1/sessions/work",
                        R"({"name":"play","cell_timeout_s":7,"lifetime_s":8,"error_correction":"report",)"
                        R"("sandbox":{"sandbox_size":"medium"}})");
    ASSERT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(changed.body["name"], "play");
    EXPECT_EQ(changed.body["cell_timeout_s"], 7);
    EXPECT_EQ(changed.body["idle_timeout_s"], 6);
    EXPECT_EQ(changed.body["lifetime_s"], 8);
    EXPECT_EQ(changed.body["install"], false);
    EXPECT_EQ(changed.body["error_correction"], "report");
    EXPECT_EQ(changed.body["sandbox"]["sandbox_size"], "medium");
    EXPECT_EQ(changed.body["sandbox"]["mine"], 1);
    EXPECT_EQ(call("PATCH", "/api/v1/sessions/play", "").body["name"], "play");
}

TEST_F(sessions_test, resets_what_a_patch_has_as_null) {
    call("POST", "/api/v1/sessions",
         R"({"name":"work","cell_timeout_s":5,"idle_timeout_s":6,"lifetime_s":7,"install":false,)"
         R"("error_correction":false,"sandbox":{"sandbox_size":"large","mine":1}})");
    auto changed = call("PATCH", "/api/v1/sessions/work",
                        R"({"name":null,"cell_timeout_s":null,"idle_timeout_s":null,"lifetime_s":null,"install":null,)"
                        R"("error_correction":null,"sandbox":{"mine":null}})");
    ASSERT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(changed.body["name"], "ses_1");
    EXPECT_EQ(changed.body["cell_timeout_s"], 180);
    EXPECT_TRUE(changed.body["idle_timeout_s"].is_null());
    EXPECT_TRUE(changed.body["lifetime_s"].is_null());
    EXPECT_EQ(changed.body["install"], true);
    EXPECT_EQ(changed.body["error_correction"], true);
    EXPECT_EQ(changed.body["sandbox"]["sandbox_size"], "large");
    EXPECT_FALSE(changed.body["sandbox"].contains("mine"));
    EXPECT_EQ(call("PATCH", "/api/v1/sessions/ses_1", R"({"sandbox":null})").body["sandbox"]["sandbox_size"],
              "standard");
}

TEST_F(sessions_test, refuses_a_patch_as_a_whole) {
    call("POST", "/api/v1/sessions", R"({"name":"work"})");
    for (const auto* body :
         {R"({"cell_timeout_s":7,"name":"a/b"})", R"({"cell_timeout_s":7,"sandbox":{"sandbox_size":"x"}})",
          R"({"cell_timeout_s":7,"lifetime_s":0})", R"({"cell_timeout_s":7,"env":{}})", R"([])"}) {
        EXPECT_EQ(call("PATCH", "/api/v1/sessions/work", body).status, 400) << body;
        EXPECT_EQ(call("GET", "/api/v1/sessions/work").body["cell_timeout_s"], 180) << body;
    }
    EXPECT_EQ(call("PATCH", "/api/v1/sessions/work", R"({"user_id":"bob"})").code(), "unknown_field");
    EXPECT_EQ(call("PATCH", "/api/v1/sessions/none", "{}").status, 404);
}

TEST_F(sessions_test, tells_what_the_session_used_of_the_model) {
    call("POST", "/api/v1/sessions", R"({"name":"work"})");
    registry.list().at(0)->meters()->model.add({30, 4});
    auto got = call("GET", "/api/v1/sessions/ses_1");
    EXPECT_EQ(got.body["tokens"], json::parse(R"({"prompt":30,"completion":4,"calls":0})"));
}

struct bad_body {
    const char* body;
    const char* code;
    const char* says;
};

class bad_session_test : public agent_fixture, public testing::WithParamInterface<bad_body> {};

TEST_P(bad_session_test, is_refused_by_name) {
    auto refused = call("POST", "/api/v1/sessions", GetParam().body);
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.code(), GetParam().code);
    EXPECT_THAT(refused.message(), HasSubstr(GetParam().says));
    EXPECT_EQ(refused.body["error"]["request_id"], "req_1");
    EXPECT_TRUE(registry.list().empty());
}

INSTANTIATE_TEST_SUITE_P(
    bodies, bad_session_test,
    testing::Values(bad_body{R"({"cell_timout_s":1})", "unknown_field", "cell_timout_s"},
                    bad_body{R"({"a":1,"b":2})", "unknown_field", "a, b"}, bad_body{"[1]", "invalid_request", "object"},
                    bad_body{"{", "invalid_request", "JSON"},
                    bad_body{"{\"name\":\"\xff\"}", "invalid_request", "not UTF-8 at byte 9"},
                    bad_body{R"({"name":"\ud800x"})", "invalid_request", "surrogate"},
                    bad_body{R"({"sandbox":{"a":1e400}})", "invalid_request", "overflow"},
                    bad_body{R"({"sandbox":{"a":"\udc00"}})", "invalid_request", "surrogate"},
                    bad_body{R"({"user_id":"a/b\u0000"})", "invalid_request", "control character"},
                    bad_body{R"({"user_id":""})", "invalid_request", "must not be empty"},
                    bad_body{R"({"name":7})", "invalid_request", "name must be a string"},
                    bad_body{R"({"name":""})", "invalid_request", "name"},
                    bad_body{R"({"name":"a/b"})", "invalid_request", "slash"},
                    bad_body{R"({"name":"ses_x"})", "invalid_request", "ses_"},
                    bad_body{R"({"cell_timeout_s":0})", "invalid_request", "cell_timeout_s"},
                    bad_body{R"({"lifetime_s":"1"})", "invalid_request", "lifetime_s"},
                    bad_body{R"({"lifetime_s":1e300})", "invalid_request", "lifetime_s"},
                    bad_body{R"({"sandbox":[]})", "invalid_request", "sandbox must be an object"},
                    bad_body{R"({"sandbox":{"enable":1}})", "invalid_request", "sandbox.enable must be true or false"},
                    bad_body{R"({"sandbox":{"sandbox_size":"huge"}})", "invalid_request",
                             "standard, medium, large, xlarge"},
                    bad_body{R"({"env":{"A":1}})", "invalid_request", "env.A"},
                    bad_body{R"({"env":{"A B":"1"}})", "invalid_request", "env.A B"},
                    bad_body{R"({"env":{"A":"\u0000"}})", "invalid_request", "NUL"},
                    bad_body{R"({"error_correction":"maybe"})", "invalid_request", "report"},
                    bad_body{R"({"install":"report"})", "invalid_request", "install must be true or false"}));

TEST_F(sessions_test, refuses_nesting_that_a_recursion_could_not_follow) {
    std::string deep(100'000, '[');
    EXPECT_EQ(call("POST", "/api/v1/sessions", "{\"sandbox\":" + deep + std::string(100'000, ']') + "}").status, 400);
}

TEST_F(sessions_test, says_that_a_body_is_nested_too_deeply) {
    std::string deep = "{\"sandbox\":{\"a\":" + std::string(2000, '[') + std::string(2000, ']') + "}}";
    EXPECT_THAT(call("POST", "/api/v1/sessions", deep).message(), HasSubstr("nested deeper than 1024 levels"));
}

TEST_F(sessions_test, refuses_a_sandbox_over_its_limit_by_name_size_and_limit) {
    std::string text(70'000, 'x');
    auto refused = call("POST", "/api/v1/sessions", R"({"sandbox":{"a":")" + text + "\"}}");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.message(), "sandbox has 70008 bytes; at most 65536 are taken");
    EXPECT_EQ(call("POST", "/api/v1/sessions", R"({"sandbox":{"a":")" + text.substr(0, 60'000) + "\"}}").status, 201);
}

TEST_F(sessions_test, refuses_an_environment_over_its_limit) {
    auto body = R"({"env":{"A":")" + std::string(100'000, 'x') + R"(","B":")" + std::string(100'000, 'x') +
                R"(","C":")" + std::string(100'000, 'x') + "\"}}";
    EXPECT_THAT(call("POST", "/api/v1/sessions", body).message(), HasSubstr("at most 262144 are taken"));
}

TEST_F(sessions_test, does_not_look_into_a_body_over_a_mebibyte) {
    add_session();
    std::string body(most_request_bytes + 1, '{');
    for (const auto* path :
         {"/api/v1/sessions", "/api/v1/sessions/ses_1/interrupt", "/api/v1/sessions/ses_1/restart"}) {
        auto refused = call("POST", path, body);
        EXPECT_EQ(refused.status, 413) << path;
        EXPECT_EQ(refused.message(), "the body has 1048577 bytes; at most 1048576 are taken") << path;
    }
}

TEST_F(sessions_test, names_ten_unknown_fields_and_counts_the_rest) {
    std::string body = "{\"" + std::string(5000, 'z') + "\":1";
    for (int at = 10; at < 100; ++at) body += ",\"k" + std::to_string(at) + "\":1";
    auto refused = call("POST", "/api/v1/sessions", body + "}");
    EXPECT_EQ(refused.code(), "unknown_field");
    EXPECT_THAT(refused.message(), HasSubstr("k10, k11, k12, k13, k14, k15, k16, k17, k18, k19 and 81 more"));
    auto one = call("POST", "/api/v1/sessions", "{\"" + std::string(5000, 'z') + "\":1}");
    EXPECT_LT(one.message().size(), 400u);
}

TEST_F(sessions_test, takes_the_last_of_a_repeated_field) {
    EXPECT_EQ(call("POST", "/api/v1/sessions", R"({"name":"a","name":"b"})").body["name"], "b");
}

TEST_F(sessions_test, refuses_a_repeated_query_parameter) {
    auto refused = call("GET", "/api/v1/sessions?limit=1&limit=2");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.message(), "the query parameter limit is there more than once");
}

TEST_F(sessions_test, lets_only_an_admin_name_another_user) {
    EXPECT_EQ(call("POST", "/api/v1/sessions", R"({"user_id":"ben"})").status, 403);
    EXPECT_EQ(call("POST", "/api/v1/sessions", R"({"user_id":"ana"})").status, 201);
    who = caller("default", http::scope::admin);
    EXPECT_EQ(call("POST", "/api/v1/sessions", R"({"user_id":"ben"})").body["user_id"], "ben");
    EXPECT_EQ(call("POST", "/api/v1/sessions", "").body["user_id"], "default");
}

TEST_F(sessions_test, needs_the_scope_session_to_make_and_to_end) {
    add_session();
    who = caller("ana", http::scope::execute);
    EXPECT_EQ(call("POST", "/api/v1/sessions").status, 403);
    EXPECT_EQ(call("DELETE", "/api/v1/sessions/ses_1").status, 403);
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1").status, 200);
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/interrupt").status, 200);
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/restart").status, 200);
}

TEST_F(sessions_test, passes_on_why_a_session_cannot_be_made) {
    registry.create_fails = failure{errc::name_taken, "you have one"};
    auto refused = call("POST", "/api/v1/sessions", R"({"name":"work"})");
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.code(), "name_taken");
}

TEST_F(sessions_test, finds_a_session_by_id_and_by_name) {
    add_session("ana", "work");
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1").body["name"], "work");
    EXPECT_EQ(call("GET", "/api/v1/sessions/work").body["id"], "ses_1");
    EXPECT_EQ(call("GET", "/api/v1/sessions/other").code(), "session_not_found");
}

TEST_F(sessions_test, hides_another_users_session_on_every_route) {
    add_session("ben", "secret");
    for (const auto& route : routes.routes()) {
        if (route.method == "WS" || route.pattern.find("{}") == std::string::npos) continue;
        if (route.needed == http::scope::none) continue;  // for those who have a signed link, whoever they are
        for (std::string session : {"ses_1", "secret"}) {
            auto path = route.pattern;
            path.replace(path.find("{}"), 2, session);
            if (auto cell = path.find("{}"); cell != std::string::npos) path.replace(cell, 2, "cell_1");
            auto hidden = call(route.method, path, route.pattern.ends_with("execute") ? R"({"code":"1"})" : "");
            EXPECT_EQ(hidden.status, 404) << path;
            EXPECT_EQ(hidden.code(), "session_not_found") << path;
        }
    }
    who = caller("default", http::scope::admin);
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1").status, 200);
    EXPECT_EQ(call("GET", "/api/v1/sessions/secret?user_id=ben").status, 200);
    EXPECT_EQ(call("GET", "/api/v1/sessions/secret").status, 404);
}

TEST_F(sessions_test, hides_another_users_session_from_a_socket_before_the_handshake) {
    add_session("ben");
    http::request from;
    from.caller = who;
    from.parameters = {"ses_1"};
    auto match = routes.find("WS", "/api/v1/sessions/ses_1/ws");
    ASSERT_NE(match.found, nullptr);
    auto refused = test_support::await(io, match.found->upgrade.accept(from, {}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::session_not_found);
    from.caller = caller("ben", http::scope::execute);
    EXPECT_TRUE(test_support::await(io, match.found->upgrade.accept(from, {})));
}

TEST_F(sessions_test, lists_the_callers_sessions_page_by_page) {
    for (int at = 0; at < 5; ++at) add_session(at == 2 ? "ben" : "ana");
    auto first = call("GET", "/api/v1/sessions?limit=2");
    ASSERT_EQ(first.body["items"].size(), 2u);
    EXPECT_EQ(first.body["items"][1]["id"], "ses_2");
    auto cursor = first.body["next_cursor"].get<std::string>();
    call("DELETE", "/api/v1/sessions/ses_2");
    auto second = call("GET", "/api/v1/sessions?limit=2&cursor=" + cursor);
    EXPECT_EQ(second.body["items"][0]["id"], "ses_4");
    EXPECT_EQ(second.body["items"][1]["id"], "ses_5");
    EXPECT_FALSE(second.body.contains("next_cursor"));
}

TEST_F(sessions_test, lists_for_an_admin_all_or_one_users) {
    add_session("ana");
    add_session("ben");
    EXPECT_EQ(call("GET", "/api/v1/sessions?user_id=ben").status, 403);
    who = caller("default", http::scope::admin);
    EXPECT_EQ(call("GET", "/api/v1/sessions").body["items"].size(), 2u);
    EXPECT_EQ(call("GET", "/api/v1/sessions?user_id=ben").body["items"].size(), 1u);
}

TEST_F(sessions_test, refuses_bad_query_parameters_by_name) {
    add_session();
    EXPECT_THAT(call("GET", "/api/v1/sessions?lmit=3").message(), HasSubstr("lmit"));
    EXPECT_EQ(call("GET", "/api/v1/sessions?lmit=3").code(), "unknown_field");
    EXPECT_EQ(call("GET", "/api/v1/sessions?limit=0").status, 400);
    EXPECT_EQ(call("GET", "/api/v1/sessions?limit=x").status, 400);
    for (const char* wrong : {"x", "0.5", "-1.ses_1", "1", "."})
        EXPECT_EQ(call("GET", std::string("/api/v1/sessions?cursor=") + wrong).status, 400) << wrong;
    EXPECT_EQ(call("GET", "/api/v1/sessions?token=key").status, 200);
    EXPECT_EQ(call("GET", "/api/v1/sessions/ses_1/cells?after=-1").status, 400);
}

TEST_F(sessions_test, ends_a_session_once) {
    add_session();
    auto gone = call("DELETE", "/api/v1/sessions/ses_1");
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.body, json::parse(R"({"id":"ses_1","deleted":true})"));
    EXPECT_EQ(call("DELETE", "/api/v1/sessions/ses_1").status, 404);
}

TEST_F(sessions_test, interrupts_and_restarts) {
    auto session = add_session();
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/interrupt", "{}").body["id"], "ses_1");
    EXPECT_EQ(session->interrupts, 1);
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/restart").body["restarts"], 1);
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/restart", R"({"hard":true})").code(), "unknown_field");
    session->refuses = failure{errc::session_dead, "dead"};
    EXPECT_EQ(call("POST", "/api/v1/sessions/ses_1/interrupt").code(), "session_dead");
}

TEST_F(sessions_test, tells_which_step_its_client_is_at) {
    auto session = add_session();
    EXPECT_FALSE(call("GET", "/api/v1/sessions/ses_1").body.contains("current_step"));
    session->note_step({"load", R"({"rows":3})"});
    auto told = call("GET", "/api/v1/sessions/ses_1").body;
    EXPECT_EQ(told["current_step"], "load");
    EXPECT_EQ(told["current_step_metric"], (json{{"rows", 3}}));
    session->note_step({"save", ""});
    EXPECT_FALSE(call("GET", "/api/v1/sessions/ses_1").body.contains("current_step_metric"));
}

TEST_F(sessions_test, tells_why_a_session_is_dead) {
    auto session = add_session();
    session->now = sessions::session_state::dead;
    session->why = sessions::cell_reason::start_failed;
    session->failed_with = "ModuleNotFoundError: ipykernel";
    auto told = call("GET", "/api/v1/sessions/ses_1");
    EXPECT_EQ(told.body["state"], "dead");
    EXPECT_EQ(told.body["reason"], "start_failed");
    EXPECT_EQ(told.body["failure"], "ModuleNotFoundError: ipykernel");
}

}  // namespace
}  // namespace gateway::api::agent
