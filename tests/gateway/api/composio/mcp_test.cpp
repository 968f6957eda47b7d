#include <gmock/gmock.h>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;
using testing::Not;

class composio_mcp : public composio_fixture {
  protected:
    const std::string both = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
    void SetUp() override {
        composio_fixture::SetUp();
        create();
    }
    std::string path() const { return "/tool_router/" + id + "/mcp"; }
    static std::string message(const std::string& method, const std::string& params = "{}",
                               const std::string& id = "1") {
        auto number = id.empty() ? "" : R"("id":)" + id + ",";
        return R"({"jsonrpc":"2.0",)" + number + R"("method":")" + method + R"(","params":)" + params + "}";
    }
    reply send(const std::string& body, const std::string& more = "") {
        return call("POST", path(), body, both + more);
    }
    connection begin(const std::string& body, const std::string& more = "") {
        return open("POST", path(), body, both + more);
    }
    static std::string cell(const std::string& meta = "") {
        return R"({"name":"COMPOSIO_REMOTE_WORKBENCH","arguments":{"code_to_execute":"1"})" + meta + "}";
    }
    // The messages of an event stream.
    static std::vector<json> events(const std::string& text) {
        std::vector<json> made;
        for (auto at = text.find("data: "); at != text.npos; at = text.find("data: ", at + 1))
            made.push_back(json::parse(text.substr(at + 6, text.find('\n', at) - at - 6)));
        return made;
    }
};

TEST_F(composio_mcp, agrees_on_a_revision) {
    auto made = send(message("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})"));
    EXPECT_EQ(made.body["result"]["protocolVersion"], "2025-06-18");
    EXPECT_EQ(made.body["result"]["serverInfo"]["name"], "cellgate");
    EXPECT_TRUE(made.body["result"]["capabilities"].contains("tools"));
    EXPECT_THAT(made.head, HasSubstr("Mcp-Session-Id: "));
    EXPECT_EQ(send(message("initialize", R"({"protocolVersion":"1999-01-01"})")).body["result"]["protocolVersion"],
              "2025-11-25");
}

TEST_F(composio_mcp, answers_as_the_transport_asks) {
    EXPECT_EQ(send(message("ping")).body["result"], json::object());
    EXPECT_EQ(send(message("notifications/initialized", "{}", "")).status, 202);
    EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":4,"result":{}})").status, 202);
    EXPECT_EQ(send(message("no/such")).body["error"]["code"], -32601);
    auto broken = send("{");
    EXPECT_EQ(broken.status, 400);
    EXPECT_EQ(broken.body["error"]["code"], -32700);
    EXPECT_TRUE(broken.body["id"].is_null());
    auto nameless = send(message("ping", "{}", "null"));
    EXPECT_EQ(nameless.status, 400);
    EXPECT_EQ(nameless.body["error"]["code"], -32600);
    EXPECT_EQ(send("[]").body["error"]["code"], -32600);
    EXPECT_EQ(send(R"({"id":1,"method":"ping"})").status, 400);
    EXPECT_EQ(send(message("ping"), "MCP-Protocol-Version: 1999-01-01\r\n").status, 400);
    EXPECT_EQ(call("POST", path(), message("ping"), "Accept: application/json\r\n").status, 406);
    EXPECT_EQ(call("POST", path(), message("ping"), "Accept: */*\r\nContent-Type: text/plain\r\n").status, 415);
    EXPECT_EQ(call("GET", path()).status, 405);
    EXPECT_EQ(call("DELETE", path()).status, 405);
    EXPECT_EQ(call("POST", "/tool_router/ses_none/mcp", message("ping"), both).status, 404);
    EXPECT_EQ(call("POST", path(), message("ping"), both, "nobody").status, 401);
}

TEST_F(composio_mcp, stays_closed_to_pages_of_other_origins) {
    EXPECT_EQ(call("POST", path(), message("ping"), both + "Origin: https://evil.example\r\n", "nobody").status, 404);
    EXPECT_EQ(send(message("ping"), "Origin: http://localhost:8888\r\n").status, 200);
}

TEST_F(composio_mcp, lists_the_tools_of_the_session) {
    auto listed = send(message("tools/list")).body["result"]["tools"];
    EXPECT_EQ(listed.size(), 6u);
    EXPECT_EQ(listed[4]["name"], "COMPOSIO_REMOTE_WORKBENCH");
    EXPECT_EQ(listed[5]["name"], "COMPOSIO_REMOTE_BASH_TOOL");
    EXPECT_EQ(listed[4]["inputSchema"]["required"], json({"code_to_execute"}));
    EXPECT_EQ(listed[4]["annotations"]["destructiveHint"], true);
    call("PATCH", base + "/" + id, R"({"workbench":{"enable":false},"preload":{"tools":["DEMO_ADD"]}})");
    auto fewer = send(message("tools/list")).body["result"]["tools"];
    EXPECT_EQ(fewer.size(), 5u);
    EXPECT_EQ(fewer[4]["name"], "DEMO_ADD");
    auto refused = send(message("tools/call", cell())).body["result"];
    EXPECT_EQ(refused["isError"], true);
    EXPECT_THAT(refused["content"][0]["text"].get<std::string>(), HasSubstr("workbench.enable"));
}

TEST_F(composio_mcp, calls_a_tool) {
    auto made = send(message("tools/call", R"({"name":"DEMO_ADD","arguments":{"a":1,"b":2}})"));
    EXPECT_THAT(made.head, HasSubstr("text/event-stream"));
    auto result = events(made.text).at(0)["result"];
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()),
              (json{{"successful", true}, {"data", {{"sum", 3}}}, {"error", nullptr}}));
    auto failed = events(send(message("tools/call", R"({"name":"DEMO_FAIL"})")).text).at(0)["result"];
    EXPECT_EQ(failed["isError"], true);
    EXPECT_EQ(events(send(message("tools/call", R"({"name":"NO_SUCH"})")).text).at(0)["error"]["code"], -32602);
    EXPECT_EQ(send(message("tools/call", R"({"arguments":{}})")).body["error"]["code"], -32602);
}

TEST_F(composio_mcp, tells_how_far_a_cell_is_and_shows_its_images) {
    auto client = begin(message("tools/call", cell(R"(,"_meta":{"progressToken":"p"})")));
    wait_for_cells(1);
    auto which = session()->cell_at(0);
    session()->start(*which);
    session()->print(*which, "step 1");
    client.read_until("step 1");
    which->displays.push_back(
        {session()->output(*which, "display_data", R"({"data":{"image/png":"aGk=\n","text/plain":"<Figure>"}})"),
         "display_data", ""});
    session()->finish(*which);
    auto all = events(client.finish().text);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all[0]["method"], "notifications/progress");
    EXPECT_EQ(all[0]["params"]["progressToken"], "p");
    for (std::size_t at = 1; at + 1 < all.size(); ++at)
        EXPECT_GT(all[at]["params"]["progress"], all[at - 1]["params"]["progress"]);
    const auto& content = all.back()["result"]["content"];
    EXPECT_EQ(content[1], (json{{"type", "image"}, {"data", "aGk="}, {"mimeType", "image/png"}}));
    EXPECT_EQ(json::parse(content[0]["text"].get<std::string>())["data"]["results"], "<Figure>");
}

TEST_F(composio_mcp, cancels_the_cell_of_that_client_alone) {
    auto client = begin(message("tools/call", cell(), "7"), "Mcp-Session-Id: one\r\n");
    wait_for_cells(1);
    auto cancel = message("notifications/cancelled", R"({"requestId":7})", "");
    EXPECT_EQ(send(cancel, "Mcp-Session-Id: two\r\n").status, 202);
    EXPECT_TRUE(session()->cancelled.empty());
    EXPECT_EQ(send(cancel, "Mcp-Session-Id: one\r\n").status, 202);
    EXPECT_EQ(session()->cancelled, std::vector<std::string>{"cell_1"});
    session()->finish(*session()->cell_at(0), sessions::cell_status::cancelled);
    EXPECT_TRUE(events(client.finish().text).empty());
}

TEST_F(composio_mcp, cancels_a_tool) {
    auto client = begin(message("tools/call", R"({"name":"DEMO_WAIT"})", "\"a\""));
    ASSERT_TRUE(test_support::run_until(
        io, [&] { return !toolbox.called.empty(); }, std::chrono::seconds(10)));
    EXPECT_EQ(send(message("notifications/cancelled", R"({"requestId":"a"})", "")).status, 202);
    EXPECT_TRUE(events(client.finish().text).empty());
    EXPECT_TRUE(toolbox.was_cancelled);
}

// Revision 2026-07-28: each request says everything.
class composio_mcp_alone : public composio_mcp {
  protected:
    static std::string with_meta(const std::string& more = "") {
        return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
               R"("io.modelcontextprotocol/clientCapabilities":{}})" +
               more + "}";
    }
    static std::string headers(const std::string& method, const std::string& more = "") {
        return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n" + more;
    }
    reply ask(const std::string& method, const std::string& more = "") {
        return send(message(method, with_meta()), headers(method, more));
    }
    static std::string code() {
        return message("tools/call",
                       with_meta(R"(,"name":"COMPOSIO_REMOTE_WORKBENCH","arguments":{"code_to_execute":"1"})"));
    }
};

TEST_F(composio_mcp_alone, tells_what_it_is_without_a_handshake) {
    auto made = ask("server/discover");
    EXPECT_EQ(made.status, 200);
    EXPECT_EQ(made.body["result"]["supportedVersions"][0], "2026-07-28");
    EXPECT_EQ(made.body["result"]["resultType"], "complete");
    EXPECT_EQ(made.body["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "cellgate");
    EXPECT_THAT(made.head, Not(HasSubstr("Mcp-Session-Id")));
    auto listed = ask("tools/list").body["result"];
    EXPECT_EQ(listed["cacheScope"], "private");
    EXPECT_TRUE(listed["ttlMs"].is_number());
}

TEST_F(composio_mcp_alone, wants_headers_to_say_what_the_body_says) {
    EXPECT_EQ(send(message("tools/list", with_meta())).body["error"]["code"], -32020);
    auto other = send(message("tools/list", with_meta()), headers("tools/call"));
    EXPECT_EQ(other.status, 400);
    EXPECT_EQ(other.body["error"]["code"], -32020);
    EXPECT_EQ(send(message("tools/list"), headers("tools/list")).body["error"]["code"], -32020);
    EXPECT_EQ(send(code(), headers("tools/call")).body["error"]["code"], -32020);
    EXPECT_EQ(send(code(), headers("tools/call", "Mcp-Name: DEMO_ADD\r\n")).body["error"]["code"], -32020);
    EXPECT_EQ(send(code(), headers("tools/call", "Mcp-Name: =?base64?====?=\r\n")).body["error"]["code"], -32020);
    EXPECT_TRUE(session()->executed.empty());
}

TEST_F(composio_mcp_alone, names_the_revisions_that_it_speaks) {
    auto unknown = send(message("ping"), "MCP-Protocol-Version: 2999-01-01\r\n");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_EQ(unknown.body["error"]["code"], -32022);
    EXPECT_EQ(unknown.body["error"]["data"]["requested"], "2999-01-01");
    EXPECT_EQ(unknown.body["error"]["data"]["supported"][0], "2026-07-28");
    EXPECT_EQ(ask("ping").status, 404);
    EXPECT_EQ(ask("ping").body["error"]["code"], -32601);
}

TEST_F(composio_mcp_alone, takes_a_name_that_came_in_base64) {
    const std::string body = message("tools/call", with_meta(R"(,"name":"DEMO_ADD","arguments":{"a":1,"b":2})"));
    auto made = send(body, headers("tools/call", "Mcp-Name: =?base64?REVNT19BREQ=?=\r\n"));
    EXPECT_EQ(events(made.text).at(0)["result"]["isError"], false);
    EXPECT_THAT(made.head, HasSubstr("X-Accel-Buffering: no"));
}

TEST_F(composio_mcp_alone, ends_a_cell_whose_client_has_left) {
    auto client = begin(code(), headers("tools/call", "Mcp-Name: COMPOSIO_REMOTE_WORKBENCH\r\n"));
    wait_for_cells(1);
    client.read_until(": waiting");
    client.close();
    auto cancelled = [&] { return !session()->cancelled.empty(); };
    EXPECT_TRUE(test_support::run_until(io, cancelled, std::chrono::seconds(10)));
}

TEST_F(composio_mcp, lets_a_cell_run_on_whose_client_has_left) {
    auto client = begin(message("tools/call", cell()));
    wait_for_cells(1);
    client.read_until(": waiting");
    client.close();
    auto again = begin(message("tools/call", cell()));
    again.read_until(": waiting");
    EXPECT_TRUE(session()->cancelled.empty());
    for (std::size_t at = 0; at < 2; ++at) session()->finish(*session()->cell_at(at));
    again.finish();
}

}  // namespace
}  // namespace gateway::api::composio
