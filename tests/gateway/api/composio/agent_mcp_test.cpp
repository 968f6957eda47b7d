// The gateway's own tools at /mcp.
#include <gmock/gmock.h>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;

class agent_mcp : public composio_fixture {
  protected:
    const std::string both = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";

    reply send(const std::string& method, const std::string& params, const std::string& key = "root") {
        const auto body = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
        return call("POST", "/mcp", body, both, key);
    }
    static std::string call_of(const std::string& name, const std::string& arguments) {
        return R"({"name":")" + name + R"(","arguments":)" + arguments + "}";
    }
    // The result of a call, whether it came at once or as a stream's only event.
    json use(const std::string& name, const std::string& arguments = "{}", const std::string& key = "root") {
        auto made = send("tools/call", call_of(name, arguments), key);
        auto at = made.text.find("data: ");
        return at == made.text.npos ? made.body["result"] : json::parse(made.text.substr(at + 6))["result"];
    }
    std::string in_session(const std::string& more = "") { return R"({"session":")" + id + "\"" + more + "}"; }
    static std::string message_of(const json& result) { return result["structuredContent"]["error"]["message"]; }
    void make_session() { id = use("create_session", R"({"name":"work"})")["structuredContent"]["id"]; }
};

TEST_F(agent_mcp, makes_lists_and_ends_sessions) {
    make_session();
    EXPECT_THAT(id, HasSubstr("ses_"));
    auto listed = use("list_sessions")["structuredContent"]["sessions"];
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0]["name"], "work");
    auto ended = use("end_session", in_session());
    EXPECT_EQ(ended["structuredContent"]["deleted"], true);
    EXPECT_EQ(use("end_session", in_session())["structuredContent"]["error"]["code"], "session_not_found");
}

TEST_F(agent_mcp, runs_a_command) {
    make_session();
    auto body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" +
                call_of("bash", in_session(R"(,"command":"pwd","cwd":"/tmp","timeout_s":2.5)")) + "}";
    auto client = open("POST", "/mcp", body, both);
    client.read_until("\r\n\r\n");
    ASSERT_EQ(session()->shell.started.size(), 1u);
    EXPECT_EQ(session()->shell.started[0].working_dir, "/tmp");
    EXPECT_EQ(session()->shell.started[0].timeout, milliseconds(2'500));
    auto& command = *session()->shell.all[0];
    session()->shell.print(command, "/tmp\n");
    session()->shell.finish(command, 1);
    auto text = client.finish().text;
    auto result = json::parse(text.substr(text.find("data: ") + 6))["result"];
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(result["structuredContent"]["stdout"], "/tmp\n");
    EXPECT_EQ(result["structuredContent"]["exit_code"], 1);
    EXPECT_EQ(use("bash", in_session(R"(,"command":"x","timeout_s":0)"))["isError"], true);
}

TEST_F(agent_mcp, runs_code_and_tells_what_it_raised) {
    make_session();
    auto body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" +
                call_of("execute", in_session(R"(,"code":"1/0")")) + "}";
    auto client = open("POST", "/mcp", body, both);
    wait_for_cells(1);
    auto cell = session()->cell_at(0);
    session()->print(*cell, "before");
    cell->error = sessions::cell_error{"ZeroDivisionError", "division by zero", {"Traceback"}};
    session()->finish(*cell, sessions::cell_status::error);
    auto text = client.finish().text;
    auto result = json::parse(text.substr(text.find("data: ") + 6))["result"];
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(result["structuredContent"]["stdout"], "before");
    EXPECT_EQ(result["structuredContent"]["error"]["ename"], "ZeroDivisionError");
    EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
}

TEST_F(agent_mcp, writes_lists_and_reads_files) {
    make_session();
    auto written = use("write_file", in_session(R"(,"path":"/mnt/files/a/b.txt","text":"hello")"))["structuredContent"];
    EXPECT_EQ(written["path"], "a/b.txt");
    EXPECT_EQ(written["is_new"], true);
    EXPECT_EQ(use("write_file", in_session(R"(,"path":"raw","base64":"/w==")"))["isError"], false);
    auto listed = use("list_files", in_session(R"(,"limit":1)"))["structuredContent"];
    EXPECT_EQ(listed["files"][0]["path"], "a/b.txt");
    EXPECT_TRUE(listed.contains("next_cursor"));
    auto read = use("read_file", in_session(R"(,"path":"a/b.txt","offset":1,"length":3)"))["structuredContent"];
    EXPECT_EQ(read["text"], "ell");
    EXPECT_EQ(read["size"], 5);
    EXPECT_EQ(read["is_complete"], false);
    EXPECT_EQ(use("read_file", in_session(R"(,"path":"raw")"))["structuredContent"]["base64"], "/w==");
}

TEST_F(agent_mcp, says_which_piece_of_a_file_is_the_last) {
    make_session();
    use("write_file", in_session(R"(,"path":"a","text":"hello")"));
    auto is_last = [this](const std::string& offset, const std::string& length) {
        auto read = use("read_file", in_session(R"(,"path":"a","offset":)" + offset + R"(,"length":)" + length));
        EXPECT_EQ(read["isError"], false) << read;
        return read["structuredContent"]["is_complete"].get<bool>();
    };
    EXPECT_FALSE(is_last("0", "4"));
    EXPECT_TRUE(is_last("0", "5"));
    EXPECT_FALSE(is_last("2", "2"));
    EXPECT_TRUE(is_last("2", "3"));
    EXPECT_TRUE(is_last("4", "100"));
    for (const char* past : {"5", "6", "9223372036854775807", "9223372036854775808", "18446744073709551615"})
        EXPECT_TRUE(is_last(past, "10")) << past;
    auto beyond = use("read_file", in_session(R"(,"path":"a","offset":18446744073709551616)"));
    EXPECT_EQ(beyond["structuredContent"]["error"]["code"], "invalid_request");
}

TEST_F(agent_mcp, reads_what_a_session_is_to_be_as_its_own_api_does) {
    const std::pair<std::string, const char*> bad[] = {{R"({"name":")" + std::string(201, 'n') + "\"}", "name"},
                                                       {R"({"name":"a\nb"})", "name"},
                                                       {R"({"name":""})", "name"},
                                                       {R"({"name":"a/b"})", "name"},
                                                       {R"({"name":"ses_1"})", "name"},
                                                       {R"({"user_id":"u\ninfo: forged"})", "user_id"},
                                                       {R"({"user_id":")" + std::string(201, 'u') + "\"}", "user_id"},
                                                       {R"({"cell_timeout_s":0})", "cell_timeout_s"},
                                                       {R"({"cell_timeout_s":1e300})", "cell_timeout_s"}};
    for (const auto& [arguments, name] : bad) {
        auto refused = use("create_session", arguments);
        EXPECT_EQ(refused["structuredContent"]["error"]["code"], "invalid_request") << arguments;
        EXPECT_THAT(message_of(refused), HasSubstr(name)) << arguments;
    }
    EXPECT_TRUE(registry.list().empty());
    auto made = use("create_session", R"({"user_id":"bob","sandbox_size":"large","cell_timeout_s":2})");
    EXPECT_EQ(made["structuredContent"]["user_id"], "bob");
    EXPECT_EQ(made["structuredContent"]["sandbox"]["sandbox_size"], "large");
    EXPECT_EQ(made["structuredContent"]["cell_timeout_s"], 2);
}

TEST_F(agent_mcp, refuses_what_is_wrong_by_its_name) {
    make_session();
    const std::pair<const char*, const char*> bad[] = {
        {R"(,"path":"../x","text":"")", ""},
        {R"(,"path":"x")", "text or base64"},
        {R"(,"path":"x","base64":"====")", "RFC 4648"},
        {R"(,"path":"x","text":"","mode":"a")", "mode"},
        {R"(,"path":7,"text":"")", "path must be"},
    };
    for (const auto& [more, why] : bad) {
        auto result = use("write_file", in_session(more));
        EXPECT_EQ(result["isError"], true) << more;
        EXPECT_THAT(message_of(result), HasSubstr(why)) << more;
    }
    EXPECT_THAT(message_of(use("execute", in_session())), HasSubstr("code is missing"));
    EXPECT_EQ(send("tools/call", call_of("no_such", "{}")).body["error"]["code"], -32602);
}

TEST_F(agent_mcp, lets_each_key_do_what_it_may) {
    make_session();
    auto names = send("tools/list", "{}", "user").body["result"]["tools"];
    for (const auto& each : names) EXPECT_NE(each["name"], "create_session");
    EXPECT_EQ(use("create_session", "{}", "user")["structuredContent"]["error"]["code"], "forbidden");
    EXPECT_EQ(use("list_files", in_session(), "ana")["structuredContent"]["error"]["code"], "session_not_found");
    EXPECT_EQ(use("create_session", R"({"user_id":"bob"})", "ana")["structuredContent"]["error"]["code"], "forbidden");
    EXPECT_EQ(send("ping", "{}", "nobody").status, 401);
}

}  // namespace
}  // namespace gateway::api::composio
