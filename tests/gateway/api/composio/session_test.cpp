#include <gmock/gmock.h>

#include <set>

#include "gateway/api/composio/configuration.hpp"
#include "gateway/storage/database.hpp"
#include "gateway/storage/statement.hpp"
#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class composio_sessions : public composio_fixture {
  protected:
    reply patch(const std::string& body) { return call("PATCH", base + "/" + id, body); }
};

TEST_F(composio_sessions, are_made_with_all_that_a_client_reads) {
    auto made = create(R"({"user_id":"ana","workbench":{"enable":true,"sandbox_size":"large"},"later":1})");
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body["mcp"]["type"], "http");
    EXPECT_EQ(made.body["mcp"]["url"], "http://localhost:8888/tool_router/" + id + "/mcp");
    EXPECT_EQ(made.body["config_version"], 1);
    const auto& config = made.body["config"];
    EXPECT_EQ(config["user_id"], "ana");
    EXPECT_EQ(config["preload"]["tools"], json::array());
    EXPECT_EQ(config["workbench"]["sandbox_size"], "large");
    EXPECT_EQ(config["workbench"]["proxy_execution_enabled"], true);
    EXPECT_EQ(config["workbench"]["auto_offload_threshold"], 20'000);
    EXPECT_EQ(config["manage_connections"]["enabled"], true);
    EXPECT_THAT(made.body["experimental"]["assistive_prompt"].get<std::string>(), HasSubstr("COMPOSIO_"));
    EXPECT_EQ(session()->options().user_id, "ana");
}

TEST_F(composio_sessions, are_the_same_under_both_prefixes) {
    create();
    auto older = call("GET", "/api/v3/tool_router/session/" + id);
    EXPECT_EQ(older.status, 200);
    EXPECT_EQ(older.body, call("GET", base + "/" + id).body);
    EXPECT_FALSE(older.body["experimental"].contains("assistive_prompt"));
}

TEST_F(composio_sessions, that_were_made_elsewhere_have_the_default_configuration) {
    sessions::session_options elsewhere;
    elsewhere.user_id = "ana";
    id = registry.add(elsewhere)->id();
    EXPECT_EQ(call("GET", base + "/" + id).body["config"]["workbench"]["enable"], true);
}

TEST_F(composio_sessions, refuse_what_is_wrong_by_its_name) {
    const std::pair<const char*, const char*> bad[] = {
        {"{}", "user_id"},
        {R"({"user_id":7})", "user_id"},
        {R"({"user_id":"ana","workbench":{},"sandbox":{}})", "not both"},
        {R"({"user_id":"ana","workbench":{"sandbox_size":"giant"}})", "workbench.sandbox_size"},
        {R"({"user_id":"ana","sandbox":{"enable":"yes"}})", "workbench.enable"},
        {R"({"user_id":"ana","workbench":{"auto_offload_threshold":-1}})", "auto_offload_threshold"},
        {R"({"user_id":"ana","toolkits":{"enable":["a"],"disable":["b"]}})", "not both"},
        {R"({"user_id":"ana","tags":["hot"]})", "tags"},
        {R"({"user_id":"ana","preload":{"tools":7}})", "preload.tools"},
        {R"({"user_id":"ana","multi_account":{"enable":"x"}})", "multi_account.enable"},
        {R"({"user_id":"ana","multi_account":{"max_accounts_per_toolkit":1}})", "max_accounts_per_toolkit"},
        {R"({"user_id":"ana","premium_usage":"x"})", "premium_usage"},
        {R"({"user_id":"ana","manage_connections":{"callback_url":5}})", "manage_connections.callback_url"},
        {R"({"user_id":"ana","experimental":5})", "experimental"},
        {R"({"user_id":"ana","tools":{"git-hub":{"disable":[]},"GIT_HUB":{}}})", "another name"},
        {R"({"user_id":"ana","connected_accounts":{"GitHub":["a"],"github":[]}})", "connected_accounts.github"},
        {R"({"user_id":"a\u007fb"})", "user_id"},
        {R"([1])", "object"},
        {"{", "object"}};
    for (const auto& [body, word] : bad) {
        auto refused = create(body);
        EXPECT_EQ(refused.status, 400) << body;
        EXPECT_THAT(refused.error(), HasSubstr(word)) << body;
        EXPECT_TRUE(refused.body["error"]["suggested_fix"].is_string());
        EXPECT_TRUE(refused.body["error"]["request_id"].is_string());
    }
    EXPECT_TRUE(registry.list().empty());
}

TEST_F(composio_sessions, belong_to_their_users) {
    create(R"({"user_id":"bob"})");
    EXPECT_EQ(call("GET", base + "/" + id, "", "", "ana").status, 404);
    EXPECT_EQ(call("GET", base + "/" + id, "", "", "nobody").status, 401);
    EXPECT_EQ(call("POST", base, R"({"user_id":"bob"})", "", "ana").status, 403);
    EXPECT_EQ(call("POST", base, R"({"user_id":"ana"})", "", "user").status, 403);
    EXPECT_EQ(call("POST", base, R"({"user_id":"ana"})", "", "ana").status, 201);
}

TEST_F(composio_sessions, keep_what_a_change_does_not_name) {
    create(R"({"user_id":"ana","toolkits":{"enable":["demo"]},"workbench":{"auto_offload_threshold":9}})");
    auto changed = patch(R"({"workbench":{"enable":false},"search":{"enable":false}})");
    ASSERT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(changed.body["config_version"], 2);
    EXPECT_EQ(changed.body["config"]["workbench"]["enable"], false);
    EXPECT_EQ(changed.body["config"]["workbench"]["auto_offload_threshold"], 9);
    EXPECT_EQ(changed.body["config"]["toolkits"]["enabled"], json({"demo"}));
    auto back = patch(R"({"toolkits":null,"workbench":{"auto_offload_threshold":null},"search":null})");
    EXPECT_FALSE(back.body["config"].contains("toolkits"));
    EXPECT_EQ(back.body["config"]["workbench"]["auto_offload_threshold"], 20'000);
    EXPECT_EQ(back.body["config"]["workbench"]["enable"], false);
    EXPECT_THAT(back.body["tool_router_tools"], Contains("COMPOSIO_SEARCH_TOOLS"));
}

TEST_F(composio_sessions, are_not_changed_by_who_read_an_older_version) {
    create();
    EXPECT_EQ(patch(R"({"expected_config_version":1,"search":{"enable":false}})").status, 200);
    auto stale = patch(R"({"expected_config_version":1,"search":{"enable":true}})");
    EXPECT_EQ(stale.status, 409);
    EXPECT_THAT(stale.head, HasSubstr("x-should-retry: false"));
    EXPECT_EQ(patch(R"({"expected_config_version":"1"})").status, 400);
    EXPECT_EQ(patch(R"({"user_id":"bob"})").status, 400);
    EXPECT_EQ(call("GET", base + "/" + id).body["config_version"], 2);
}

TEST_F(composio_sessions, get_another_sandbox_with_another_size) {
    create();
    patch(R"({"workbench":{"auto_offload_threshold":7}})");
    EXPECT_EQ(session()->size().name, "standard");
    auto changed = patch(R"({"workbench":{"sandbox_size":"xlarge"}})");
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(changed.body["config"]["workbench"]["sandbox_size"], "xlarge");
    EXPECT_EQ(session()->size().name, "xlarge");
    patch(R"({"sandbox":{"enable":false}})");
    EXPECT_FALSE(session()->has_sandbox());
}

TEST_F(composio_sessions, show_the_size_that_their_own_api_gave_them) {
    create();
    sessions::session_change change;
    change.sandbox = R"({"sandbox_size":"large"})";
    EXPECT_TRUE(test_support::await(io, registry.change(id, change)));
    EXPECT_EQ(call("GET", base + "/" + id).body["config"]["workbench"]["sandbox_size"], "large");
    EXPECT_EQ(patch(R"({"search":{"enable":false}})").body["config"]["workbench"]["sandbox_size"], "large");
}

TEST_F(composio_sessions, have_the_sandbox_that_their_own_api_left_them) {
    create(R"({"user_id":"ana","workbench":{"sandbox_size":"large"}})");
    sessions::session_change off;
    off.sandbox = R"({"enable":false,"sandbox_size":"medium"})";
    EXPECT_TRUE(test_support::await(io, registry.change(id, off)));
    const std::string bash = R"({"tool_slug":"COMPOSIO_REMOTE_BASH_TOOL","arguments":{"command":"id"}})";
    auto expect_off = [&](const reply& got) {
        EXPECT_EQ(got.body["config"]["workbench"]["enable"], false);
        EXPECT_EQ(got.body["config"]["workbench"]["sandbox_size"], "medium");
        EXPECT_THAT(got.body["tool_router_tools"], Not(Contains("COMPOSIO_REMOTE_BASH_TOOL")));
        EXPECT_FALSE(session()->has_sandbox());
        EXPECT_EQ(session()->size().name, "medium");
        EXPECT_THAT(post("/execute", bash).error(), HasSubstr("workbench.enable"));
    };
    expect_off(call("GET", base + "/" + id));
    EXPECT_EQ(call("GET", base + "/" + id + "/tools").text.find("COMPOSIO_REMOTE"), std::string::npos);
    EXPECT_EQ(call("GET", base + "/" + id + "/config_history").body["items"][0]["config"]["workbench"]["enable"],
              false);
    // What does not name them turns nothing on and makes nothing large again.
    expect_off(patch(R"({"workbench":{"auto_offload_threshold":5}})"));
    expect_off(patch(R"({"search":{"enable":false}})"));
    auto on = patch(R"({"workbench":{"enable":true}})");
    EXPECT_TRUE(session()->has_sandbox());
    EXPECT_EQ(session()->size().name, "medium");
    EXPECT_THAT(on.body["tool_router_tools"], Contains("COMPOSIO_REMOTE_BASH_TOOL"));
}

TEST_F(composio_sessions, keep_nothing_of_a_change_that_is_refused) {
    create();
    registry.change_fails = failure{errc::conflict, "the session is being changed already"};
    EXPECT_EQ(patch(R"({"workbench":{"sandbox_size":"large"},"search":{"enable":false}})").status, 409);
    registry.change_fails.reset();
    auto shown = call("GET", base + "/" + id).body;
    EXPECT_EQ(shown["config_version"], 1);
    EXPECT_EQ(shown["config"]["search"]["enable"], true);
    EXPECT_EQ(call("GET", base + "/" + id + "/config_history").body["total_items"], 1);
    EXPECT_EQ(patch(R"({"workbench":{"auto_offload_threshold":9}})").body["config"]["workbench"]["sandbox_size"],
              "standard");
}

TEST_F(composio_sessions, lose_no_change_to_one_that_takes_a_while) {
    create();
    event may_end(io.get_executor());
    registry.holds_changes = &may_end;
    auto slow = open("PATCH", base + "/" + id, R"({"workbench":{"sandbox_size":"large"}})");
    auto is_changing = [this] { return session()->size().name == "large"; };
    ASSERT_TRUE(test_support::run_until(io, is_changing, std::chrono::seconds(10)));
    EXPECT_EQ(patch(R"({"search":{"enable":false}})").status, 409);
    EXPECT_EQ(call("GET", base + "/" + id).body["config_version"], 1);
    may_end.notify_all();
    auto done = slow.finish();
    EXPECT_EQ(done.status, 200) << done.text;
    EXPECT_EQ(done.body["config_version"], 2);
    EXPECT_EQ(done.body["config"]["workbench"]["sandbox_size"], "large");
    EXPECT_EQ(patch(R"({"search":{"enable":false}})").body["config_version"], 3);
}

TEST_F(composio_sessions, have_their_sandbox_back_when_the_change_cannot_be_written_down) {
    ASSERT_TRUE(routes_of->keep_in(directory.path()));
    create();
    auto beside = storage::database::open(directory.path());
    ASSERT_TRUE(beside);
    ASSERT_TRUE(storage::execute(beside->get(), "DROP TABLE configurations"));
    const auto before = session()->options().sandbox;
    EXPECT_EQ(patch(R"({"workbench":{"sandbox_size":"large"}})").status, 500);
    EXPECT_EQ(session()->options().sandbox, before);
    EXPECT_EQ(call("GET", base + "/" + id).body["config_version"], 1);
    const auto there = registry.list().size();
    EXPECT_EQ(create().status, 500);
    EXPECT_EQ(registry.list().size(), there);
}

TEST_F(composio_sessions, remember_their_configurations) {
    create();
    patch(R"({"search":{"enable":false}})");
    patch(R"({"search":{"enable":true}})");
    auto page = call("GET", base + "/" + id + "/config_history?limit=2").body;
    EXPECT_EQ(page["total_items"], 3);
    EXPECT_EQ(page["items"][0]["version"], 3);
    EXPECT_EQ(page["items"][0]["is_current"], true);
    EXPECT_EQ(page["items"][1]["config"]["search"]["enable"], false);
    auto rest =
        call("GET", base + "/" + id + "/config_history?limit=2&cursor=" + page["next_cursor"].get<std::string>());
    EXPECT_EQ(rest.body["items"].size(), 1u);
    EXPECT_TRUE(rest.body["next_cursor"].is_null());
}

TEST_F(composio_sessions, are_deleted_once) {
    create();
    auto gone = call("DELETE", base + "/" + id);
    EXPECT_EQ(gone.body, (json{{"session_id", id}, {"deleted", true}}));
    EXPECT_EQ(call("DELETE", base + "/" + id).status, 404);
    EXPECT_EQ(post("/execute", R"({"tool_slug":"DEMO_ADD"})").status, 404);
}

TEST_F(composio_sessions, give_custom_tools_their_slugs) {
    create();
    auto attached =
        post("/attach", R"({"experimental":{"custom_tools":[{"slug":"grep","name":"Grep","description":"d",)"
                        R"("input_schema":{"type":"object"},"extends_toolkit":"files"}],)"
                        R"("custom_toolkits":[{"slug":"crm","name":"CRM","description":"d","tools":[)"
                        R"({"slug":"find","name":"Find","description":"d","input_schema":{}}]}]}})");
    ASSERT_EQ(attached.status, 200) << attached.text;
    EXPECT_EQ(attached.body["experimental"]["custom_tools"][0]["slug"], "LOCAL_FILES_GREP");
    EXPECT_EQ(attached.body["experimental"]["custom_tools"][0]["original_slug"], "grep");
    EXPECT_EQ(attached.body["experimental"]["custom_toolkits"][0]["tools"][0]["slug"], "LOCAL_CRM_FIND");
    EXPECT_EQ(post("/execute", R"({"tool_slug":"LOCAL_FILES_GREP"})").status, 400);
    EXPECT_EQ(post("/attach", R"({"experimental":{"custom_tools":[7]}})").status, 400);
    EXPECT_THAT(post("/attach", R"({"experimental":5})").error(), HasSubstr("experimental must be an object"));
}

TEST_F(composio_sessions, list_their_tools_in_pages) {
    create(R"({"user_id":"ana","preload":{"tools":["demo_add"]}})");
    auto all = call("GET", base + "/" + id + "/tools?limit=500").body;
    EXPECT_EQ(all["total_items"], 7);
    EXPECT_TRUE(all["next_cursor"].is_null());
    for (const auto& each : all["items"]) {
        EXPECT_EQ(each["input_parameters"]["type"], "object") << each;
        EXPECT_EQ(each["output_parameters"]["type"], "object") << each;
        EXPECT_TRUE(each["toolkit"]["slug"].is_string()) << each;
    }
    EXPECT_EQ(all["items"][6]["slug"], "DEMO_ADD");
    EXPECT_EQ(all["items"][6]["toolkit"]["slug"], "demo");
    auto first = call("GET", base + "/" + id + "/tools?limit=4").body;
    EXPECT_EQ(first["items"].size(), 4u);
    EXPECT_EQ(first["next_cursor"], "4");
    EXPECT_EQ(call("GET", base + "/" + id + "/tools?limit=x").status, 400);
}

TEST_F(composio_sessions, show_the_tools_that_are_on) {
    create(R"({"user_id":"ana","sandbox":{"enable":false},"search":{"enable":false},"preload":{"tools":"all"},)"
           R"("manage_connections":{"enable":false},"execute":{"enable_multi_execute":false},)"
           R"("toolkits":{"disable":["mail"]},"tools":{"demo":{"disable":["DEMO_FAIL"]}}})");
    auto all = call("GET", base + "/" + id + "/tools").body["items"];
    std::vector<std::string> slugs;
    for (const auto& each : all) slugs.push_back(each["slug"]);
    EXPECT_EQ(slugs, (std::vector<std::string>{"DEMO_ADD", "DEMO_WAIT"}));
    EXPECT_EQ(
        post("/execute", R"({"tool_slug":"COMPOSIO_REMOTE_WORKBENCH","arguments":{"code_to_execute":"1"}})").status,
        400);
    EXPECT_EQ(post("/execute", R"({"tool_slug":"MAIL_SEND"})").status, 400);
    EXPECT_EQ(post("/execute", R"({"tool_slug":"DEMO_FAIL"})").status, 400);
    EXPECT_EQ(post("/execute", R"({"tool_slug":"DEMO_ADD"})").status, 200);
    EXPECT_EQ(toolbox.called, std::vector<std::string>{"DEMO_ADD"});
}

TEST(configuration, names_toolkits_and_slugs_in_any_spelling) {
    auto admits = [](const char* body) {
        return read_configuration(json::parse(body)).value().admits("GIT_HUB", "GIT_HUB_GET_ME", {});
    };
    EXPECT_FALSE(admits(R"({"toolkits":{"disable":["git-hub"]}})"));
    EXPECT_TRUE(admits(R"({"toolkits":["Git-Hub"]})"));
    EXPECT_FALSE(admits(R"({"toolkits":["mail"]})"));
    EXPECT_FALSE(admits(R"({"tools":{"git-hub":{"disable":["git-hub_get-me"]}}})"));
    EXPECT_FALSE(admits(R"({"tools":{"git_hub":{"disable":[" GIT_HUB_GET_ME "]}}})"));
    EXPECT_FALSE(admits(R"({"tools":{"git hub":{"enable":[]}}})"));
    EXPECT_FALSE(admits(R"({"tools":{"git-hub":{"tags":["readOnlyHint"]}}})"));
    EXPECT_TRUE(admits(R"({"tools":{"git-hub":{"enable":["git_hub_get-me"]}}})"));
}

TEST_F(composio_sessions, search_their_tools) {
    create();
    auto found = post("/search", R"({"queries":[{"use_case":"send emails to my people"},{"use_case":"xyzzy"}]})").body;
    EXPECT_EQ(found["success"], true);
    EXPECT_TRUE(found["error"].is_null());
    EXPECT_EQ(found["results"][0]["index"], 1);
    EXPECT_EQ(found["results"][0]["primary_tool_slugs"], json({"MAIL_SEND"}));
    EXPECT_EQ(found["results"][1]["primary_tool_slugs"], json::array());
    EXPECT_EQ(found["tool_schemas"]["MAIL_SEND"]["input_schema"]["type"], "object");
    EXPECT_EQ(found["toolkit_connection_statuses"][0]["has_active_connection"], true);
    EXPECT_TRUE(found["session"]["id"].is_string());
    EXPECT_TRUE(found["time_info"]["current_time_utc_epoch_seconds"].is_number());
    EXPECT_EQ(post("/search", R"({"queries":[]})").status, 400);
}

TEST_F(composio_sessions, know_toolkits_and_connect_none) {
    create(R"({"user_id":"ana","toolkits":{"enable":["demo"]}})");
    auto all = call("GET", base + "/" + id + "/toolkits").body;
    EXPECT_EQ(all["total_items"], 2);
    EXPECT_EQ(all["items"][1]["enabled"], false);
    EXPECT_EQ(call("GET", base + "/" + id + "/toolkits?toolkits=demo%2Cx").body["items"].size(), 1u);
    EXPECT_EQ(post("/link", R"({"toolkit":"gmail"})").status, 404);
    EXPECT_EQ(post("/link", R"({"toolkit":"demo"})").status, 400);
    EXPECT_EQ(post("/link", "{}").status, 400);
}

TEST_F(composio_sessions, let_tools_in_by_what_their_servers_say_of_them) {
    auto preloaded = [this](const std::string& more) {
        create(R"({"user_id":"ana","preload":{"tools":"all"},)" + more + "}");
        std::set<std::string> made;
        const auto listed = call("GET", base + "/" + id + "/tools").body;
        for (const auto& each : listed["items"])
            if (each["toolkit"]["slug"] != "composio") made.insert(each["slug"]);
        return made;
    };
    EXPECT_EQ(preloaded(R"("tags":["readOnlyHint"])"), std::set<std::string>{"DEMO_ADD"});
    EXPECT_EQ(preloaded(R"("tags":{"disable":["destructiveHint"]})").count("MAIL_SEND"), 0u);
    EXPECT_EQ(preloaded(R"("tags":["readOnlyHint"],"tools":{"mail":{"tags":["destructiveHint"]}})"),
              (std::set<std::string>{"DEMO_ADD", "MAIL_SEND"}));
    EXPECT_EQ(post("/execute", R"({"tool_slug":"DEMO_FAIL","arguments":{}})").status, 400);
}

TEST_F(composio_sessions, wait_for_connections_only_where_that_was_asked_for) {
    const std::string wait = R"({"tool_slug":"COMPOSIO_WAIT_FOR_CONNECTIONS","arguments":{"toolkits":["demo"]}})";
    create();
    EXPECT_THAT(post("/execute", wait).error(), HasSubstr("enable_wait_for_connections"));
    auto made = create(R"({"user_id":"ana","manage_connections":{"enable_wait_for_connections":true}})");
    EXPECT_THAT(made.body["tool_router_tools"], testing::Contains("COMPOSIO_WAIT_FOR_CONNECTIONS"));
    auto data = post("/execute", wait).body["data"];
    EXPECT_EQ(data["results"]["demo"]["status"], "active");
    EXPECT_TRUE(data["message"].is_string());
}

}  // namespace
}  // namespace gateway::api::composio
