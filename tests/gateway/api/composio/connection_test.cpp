// What a session tells of connected accounts, and how links are begun.
#include "tests/gateway/api/composio/connection_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using composio_connections = connection_fixture;

std::vector<std::string> names(const json& of) {
    std::vector<std::string> made;
    for (const auto& [name, each] : of.items()) made.push_back(name);
    return made;
}

TEST_F(composio_connections, show_the_accounts_of_the_sessions_user) {
    const auto own = add("github");
    add("jira", "eve");
    create();
    auto all = toolkits();
    EXPECT_THAT(names(all), ElementsAre("demo", "github", "jira", "mail", "maps"));
    const auto& github = all["github"];
    EXPECT_EQ(github["is_no_auth"], false);
    EXPECT_EQ(github["meta"]["tools_count"], 0);
    const auto& account = github["connected_account"];
    EXPECT_EQ(account["id"], own);
    EXPECT_EQ(account["status"], "ACTIVE");
    EXPECT_EQ(account["user_id"], "ana");
    EXPECT_TRUE(account["created_at"].is_string());
    EXPECT_EQ(account["auth_config"],
              json({{"id", "ac_github"}, {"auth_scheme", "BEARER_TOKEN"}, {"is_composio_managed", false}}));
    EXPECT_TRUE(all["jira"]["connected_account"].is_null());
    EXPECT_EQ(all["demo"]["is_no_auth"], true);
    EXPECT_TRUE(all["demo"]["connected_account"].is_null());
}

TEST_F(composio_connections, show_a_toolkit_of_which_there_is_an_account_alone) {
    add("crm-of-ours");
    create(R"({"user_id":"ana","toolkits":{"disable":["crm_of_ours"]}})");
    auto all = toolkits("?toolkits=crm-of-ours");
    EXPECT_THAT(names(all), ElementsAre("crm-of-ours"));
    EXPECT_EQ(all["crm-of-ours"]["enabled"], false);
    EXPECT_EQ(all["crm-of-ours"]["connected_account"]["status"], "ACTIVE");
}

TEST_F(composio_connections, filter_by_whether_there_is_one) {
    add("github");
    create();
    EXPECT_THAT(names(toolkits("?is_connected=true")), ElementsAre("demo", "github", "mail"));
    EXPECT_THAT(names(toolkits("?is_connected=false")), ElementsAre("jira", "maps"));
    EXPECT_THAT(names(toolkits("?is_connected=true&search=hub")), ElementsAre("github"));
    EXPECT_EQ(call("GET", base + "/" + id + "/toolkits?is_connected=maybe").status, 400);
}

TEST_F(composio_connections, see_pinned_accounts_only) {
    add("github", "ana", "first");
    const auto pinned = add("github", "ana", "second");
    create(R"({"user_id":"ana","connected_accounts":{"github":[")" + pinned + R"("],"maps":[]}})");
    EXPECT_EQ(toolkits()["github"]["connected_account"]["id"], pinned);
    auto data = tool("MANAGE_CONNECTIONS", R"({"toolkits":["github","maps"]})");
    EXPECT_EQ(data["results"]["github"]["connected_account_id"], pinned);
    EXPECT_EQ(data["results"]["maps"]["status"], "failed");
    EXPECT_THAT(data["results"]["maps"]["error_message"], HasSubstr("lets in no account"));
}

TEST_F(composio_connections, know_a_disabled_account_as_inactive) {
    const auto own = add("github");
    store->change(own, {.alias = {}, .status = accounts::account_status::disabled, .secret = {}}).value();
    create();
    EXPECT_EQ(toolkits()["github"]["connected_account"]["status"], "INACTIVE");
    EXPECT_EQ(account(own)["status"], "INACTIVE");
    EXPECT_EQ(account(own)["is_disabled"], true);
    EXPECT_THAT(names(toolkits("?is_connected=false")), ElementsAre("github", "jira", "maps"));
}

TEST_F(composio_connections, are_told_by_search) {
    add("github");
    create();
    auto found = post("/search", R"({"queries":[{"use_case":"add my github issues, and maps"}]})").body;
    json by_name;
    for (const auto& each : found["toolkit_connection_statuses"]) by_name[each["toolkit"].get<std::string>()] = each;
    EXPECT_EQ(by_name["github"]["has_active_connection"], true);
    EXPECT_THAT(by_name["github"]["status_message"], HasSubstr("proxy_execute"));
    EXPECT_EQ(by_name["maps"]["has_active_connection"], false);
    EXPECT_EQ(by_name["demo"]["has_active_connection"], true);
    EXPECT_FALSE(by_name.contains("jira"));
    EXPECT_THAT(found["next_steps_guidance"][0].get<std::string>(), HasSubstr("Connect maps"));
    found = post("/search", R"({"queries":[{"use_case":"write a ticket"}],"toolkits":["JIRA"]})").body;
    EXPECT_EQ(found["toolkit_connection_statuses"][0]["toolkit"], "jira");
}

TEST_F(composio_connections, are_begun_by_a_link) {
    create();
    const auto link = begin(R"({"toolkit":"GitHub","alias":"work"})");
    EXPECT_THAT(link["redirect_url"].get<std::string>(), StartsWith("http://localhost:8888/connect/ca_"));
    const auto waiting = account(link["connected_account_id"]);
    EXPECT_EQ(waiting["status"], "INITIATED");
    EXPECT_EQ(waiting["toolkit"]["slug"], "github");
    EXPECT_EQ(waiting["alias"], "work");
    EXPECT_TRUE(toolkits()["github"]["connected_account"].is_null());
    submit(link);
    const auto made = account(link["connected_account_id"]);
    EXPECT_EQ(made["status"], "ACTIVE");
    EXPECT_EQ(made["auth_config"]["is_disabled"], false);
    EXPECT_THAT(made.dump(), Not(HasSubstr("the-key")));
    EXPECT_EQ(toolkits()["github"]["connected_account"]["id"], link["connected_account_id"]);
}

TEST_F(composio_connections, of_others_are_not_there) {
    create(R"({"user_id":"eve"})");
    const auto link = begin();
    const auto at = "/api/v3/connected_accounts/" + link["connected_account_id"].get<std::string>();
    EXPECT_EQ(call("GET", at, "", "", "user").status, 404);
    submit(link);
    EXPECT_EQ(call("GET", at, "", "", "ana").status, 404);
    EXPECT_EQ(call("GET", at, "", "", "none").status, 401);
    EXPECT_EQ(call("GET", at).status, 200);
    EXPECT_EQ(call("GET", "/api/v3/connected_accounts/ca_nothing").status, 404);
}

TEST_F(composio_connections, are_refused_with_what_to_do) {
    create(R"({"user_id":"ana","toolkits":{"disable":["maps"]}})");
    add("github", "ana", "taken");
    const std::tuple<const char*, int, const char*> cases[] = {
        {R"({"toolkit":"gmail"})", 404, "[accounts.services.NAME]"},
        {R"({"toolkit":"<script>"})", 404, "there is no toolkit"},
        {R"({"toolkit":"maps"})", 404, "there is no toolkit maps in this session"},
        {R"({"toolkit":"demo"})", 400, "needs no connection"},
        {R"({"toolkit":5})", 400, "toolkit"},
        {"{}", 400, "Required at \"toolkit\""},
        {R"x({"toolkit":"github","callback_url":"javascript:alert(1)"})x", 400, "callback_url"},
        {R"({"toolkit":"github","callback_url":"https://a.example/<script>"})", 400, "callback_url"},
        {R"({"toolkit":"github","alias":"taken"})", 409, "alias"},
        {R"({"toolkit":"github","alias":"a\nb"})", 400, "alias"},
        {R"({"toolkit":"github","experimental":{"account_type":"SHARED"}})", 400, "PRIVATE"},
    };
    for (const auto& [body, status, says] : cases) {
        auto refused = post("/link", body);
        EXPECT_EQ(refused.status, status) << body;
        EXPECT_THAT(refused.error(), HasSubstr(says)) << body;
    }
}

TEST_F(composio_connections, are_few_at_once) {
    create();
    for (int at = 0; at < 5; ++at) begin();
    auto refused = post("/link", R"({"toolkit":"github"})");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.error(), HasSubstr("accounts.max_links_per_user"));
}

TEST_F(composio_connections, are_managed) {
    add("maps");
    create();
    const std::string ask = R"({"toolkits":["demo","github","maps","gmail","GITHUB"]})";
    auto data = tool("MANAGE_CONNECTIONS", ask);
    auto& results = data["results"];
    EXPECT_EQ(results["demo"]["status"], "active");
    EXPECT_EQ(results["maps"]["status"], "active");
    EXPECT_EQ(results["gmail"]["status"], "failed");
    EXPECT_EQ(results["github"]["status"], "initiated");
    EXPECT_EQ(results["github"]["has_active_connection"], false);
    EXPECT_EQ(data["summary"], json({{"total_toolkits", 4},
                                     {"active_connections", 2},
                                     {"initiated_connections", 1},
                                     {"failed_connections", 1}}));
    EXPECT_EQ(tool("MANAGE_CONNECTIONS", ask)["results"]["github"]["redirect_url"], results["github"]["redirect_url"]);
    submit(results["github"]);
    EXPECT_EQ(tool("MANAGE_CONNECTIONS", ask)["results"]["github"]["status"], "active");
}

TEST_F(composio_connections, are_begun_anew_when_that_is_asked_for) {
    const auto old = add("github");
    create();
    auto anew = tool("MANAGE_CONNECTIONS", R"({"toolkits":["github","demo"],"reinitiate_all":true})")["results"];
    EXPECT_EQ(anew["demo"]["status"], "active");
    EXPECT_EQ(anew["github"]["status"], "initiated");
    EXPECT_EQ(anew["github"]["was_reinitiated"], true);
    EXPECT_NE(anew["github"]["connected_account_id"], old);
    auto again = tool("MANAGE_CONNECTIONS", R"({"toolkits":["github"],"reinitiate_all":true})")["results"];
    EXPECT_EQ(page(anew["github"]).status, 404);
    EXPECT_EQ(page(again["github"]).status, 200);
}

TEST_F(composio_connections, begun_by_a_tool_go_back_to_the_sessions_callback) {
    create(R"({"user_id":"ana","manage_connections":{"callback_url":"https://app.example/done"}})");
    auto begun = tool("MANAGE_CONNECTIONS", R"({"toolkits":["github"]})")["results"]["github"];
    EXPECT_THAT(submit(begun).head, HasSubstr("Location: https://app.example/done?status=success"));
}

class composio_waits : public connection_fixture {
  protected:
    void SetUp() override {
        connection_fixture::SetUp();
        create(R"({"user_id":"ana","manage_connections":{"enable_wait_for_connections":true}})");
    }
    static std::string wait(const std::string& arguments) {
        return R"({"tool_slug":"COMPOSIO_WAIT_FOR_CONNECTIONS","arguments":)" + arguments + "}";
    }
    json status(const std::string& arguments) { return tool("WAIT_FOR_CONNECTIONS", arguments)["results"]; }
};

TEST_F(composio_waits, end_when_the_link_is_used) {
    const auto link = begin();
    auto waiting = open("POST", base + "/" + id + "/execute", wait(R"({"toolkits":["github","demo"]})"));
    waiting.read_until("\r\n\r\n ");
    submit(link);
    auto done = waiting.finish().body;
    EXPECT_EQ(done["data"]["results"]["github"]["status"], "active") << done;
    EXPECT_EQ(done["data"]["results"]["github"]["connected_account_id"], link["connected_account_id"]);
}

TEST_F(composio_waits, end_at_their_limit_and_where_nothing_is_waited_for) {
    begin();
    EXPECT_EQ(status(R"({"toolkits":["github"],"timeout_s":0.05})")["github"]["status"], "initiated");
    EXPECT_EQ(status(R"({"toolkits":["maps"]})")["maps"]["status"], "failed");
    EXPECT_EQ(status(R"({"toolkits":["nothing"]})")["nothing"]["status"], "failed");
}

TEST_F(composio_waits, go_on_for_a_connection_that_is_made_anew) {
    add("github");
    tool("MANAGE_CONNECTIONS", R"({"toolkits":["github"],"reinitiate_all":true})");
    EXPECT_EQ(status(R"({"toolkits":["github"],"timeout_s":0.05})")["github"]["status"], "initiated");
}

class composio_links_that_expire : public composio_waits {
  protected:
    void SetUp() override {
        options.connecting.life = std::chrono::seconds(1);
        composio_waits::SetUp();
    }
};

TEST_F(composio_links_that_expire, are_over) {
    const auto link = begin();
    EXPECT_EQ(status(R"({"toolkits":["github"]})")["github"]["status"], "failed");
    EXPECT_EQ(page(link).status, 404);
    EXPECT_EQ(submit(link).status, 404);
    const auto over = account(link["connected_account_id"]);
    EXPECT_EQ(over["status"], "EXPIRED");
    EXPECT_THAT(over["status_reason"].get<std::string>(), HasSubstr("expired"));
}

}  // namespace
}  // namespace gateway::api::composio
