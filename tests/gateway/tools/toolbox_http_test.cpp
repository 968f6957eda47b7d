#include <algorithm>
#include <map>

#include "tests/gateway/tools/toolbox_fixture.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;
using test_support::await;
using test_support::exchange;
using test_support::run_until;
using test_support::scripted_server;

// An MCP server over Streamable HTTP in the test's own io_context. Tests change its fields.
struct toolbox_http : toolbox_test {
    std::string session = "session-1";
    std::string answers_as = "json";              // or "events"
    std::map<std::string, std::string> of_tools;  // a raw answer to tools/call, by the tool's name
    bool offers_events = false;
    std::vector<std::string> messages;  // bodies of the POSTs
    std::vector<std::string> deleted;   // session ids
    event pushed{io.get_executor()};
    std::string push;  // goes to the GET stream
    int streams = 0;
    std::unique_ptr<scripted_server> server = std::make_unique<scripted_server>(
        io.get_executor(), [this](exchange& on) -> awaitable<void> { co_await serve(on); });

    awaitable<void> serve(exchange& on) {
        auto given = on.header("Mcp-Session-Id");
        if (on.method() == "DELETE") {
            deleted.push_back(given);
            co_return co_await on.answer("200 OK", "text/plain", "");
        }
        if (on.method() == "GET") co_return co_await serve_events(on);
        messages.push_back(on.body);
        auto message = json::parse(on.body);
        auto method = message.value("method", "");
        if (method == "initialize")
            co_return co_await reply(on, message, initialized(), "Mcp-Session-Id: " + session + "\r\n");
        if (given != session) co_return co_await on.answer("404 Not Found", "text/plain", "no such session");
        if (!message.contains("id") || method.empty()) co_return co_await on.answer("202 Accepted", "text/plain", "");
        if (method == "tools/list") co_return co_await reply(on, message, tools(), "");
        auto raw = of_tools.find(message["params"].value("name", ""));
        if (raw != of_tools.end()) co_return co_await on.send(raw->second);
        json result = {
            {"structuredContent", {{"protocol", on.header("MCP-Protocol-Version")}, {"key", on.header("x-key")}}}};
        co_await reply(on, message, result, "");
    }

    static json initialized() {
        return {{"protocolVersion", "2025-06-18"},
                {"capabilities", {{"tools", json::object()}}},
                {"serverInfo", {{"name", "scripted"}, {"version", "1"}}}};
    }
    json tools() const {
        json listed = json::array({{{"name", "call"}}});
        for (const auto& [name, unused] : of_tools) listed.push_back({{"name", name}});
        return {{"tools", listed}};
    }
    awaitable<void> reply(exchange& on, const json& to, json result, std::string more) {
        auto text = json{{"jsonrpc", "2.0"}, {"id", to["id"]}, {"result", std::move(result)}}.dump();
        if (answers_as == "json") co_return co_await on.answer("200 OK", "application/json; charset=utf-8", text, more);
        auto noise =
            std::string("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n");
        co_await on.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + more + "\r\n" + noise +
                         "data: " + text + "\n\n");
        co_await on.wait_for_close();  // the client leaves once it has its answer
    }
    awaitable<void> serve_events(exchange& on) {
        if (!offers_events) co_return co_await on.answer("405 Method Not Allowed", "text/plain", "");
        ++streams;
        co_await on.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 10\nid: 5\ndata\n\n");
        while (push.empty()) co_await pushed.wait();
        co_await on.send("data: " + std::exchange(push, "") + "\n\n");
    }

    toolkit_options remote(milliseconds timeout = milliseconds(10'000)) {
        toolkit_options made;
        made.name = "WEB";
        made.url = server->url();
        made.headers = {{"x-key", "provider"}};
        made.timeout = timeout;
        return made;
    }
    void close_server() {
        if (server) await(io, server->stop());
        server.reset();
    }
    ~toolbox_http() override {
        stop();
        box.reset();
        close_server();
    }
};

TEST_F(toolbox_http, a_call_carries_session_revision_and_configured_headers) {
    open(remote());
    EXPECT_EQ(data("WEB_CALL"), json::parse(R"({"protocol":"2025-06-18","key":"provider"})"));
    EXPECT_TRUE(has(server->requests().front(), "Accept: application/json, text/event-stream\r\n"));
    EXPECT_TRUE(has(messages[1], "notifications/initialized"));
}

TEST_F(toolbox_http, an_answer_may_come_as_events) {
    answers_as = "events";
    open(remote());
    EXPECT_EQ(data("WEB_CALL")["key"], "provider");
}

TEST_F(toolbox_http, an_expired_session_is_made_anew_and_the_call_sent_again) {
    open(remote());
    data("WEB_CALL");
    session = "session-2";
    EXPECT_EQ(data("WEB_CALL")["key"], "provider");
    EXPECT_EQ(data("WEB_CALL")["key"], "provider");
}

TEST_F(toolbox_http, the_session_is_deleted_at_the_end) {
    open(remote());
    data("WEB_CALL");
    stop();
    EXPECT_EQ(deleted, (std::vector<std::string>{"session-1"}));
}

TEST_F(toolbox_http, what_the_server_says_by_itself_is_heard_again_after_a_cut) {
    offers_events = true;
    open(remote());
    data("WEB_CALL");
    for (const char* added : {"first", "second"}) {
        EXPECT_TRUE(run_until(io, [&] { return streams > 0; }));
        streams = 0;
        of_tools[added] = "";
        push = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
        pushed.notify_all();
        auto slug = added == std::string("first") ? "WEB_FIRST" : "WEB_SECOND";
        EXPECT_TRUE(run_until(io, [&] {
            auto found = slugs();
            return std::find(found.begin(), found.end(), slug) != found.end();
        }));
    }
    EXPECT_TRUE(has(server->requests().back(), "Last-Event-ID: 5\r\n") || streams == 0);
}

struct broken {
    const char* raw;
    errc code;
    const char* said;
};
const broken broken_answers[] = {
    {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", errc::tool_failed,
     "check the headers in [tools.toolkits.WEB]"},
    {"HTTP/1.1 500 Oh\r\nContent-Length: 6\r\n\r\nbroken", errc::tool_failed, "answered HTTP 500: broken"},
    {"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", errc::tool_failed, "a redirect"},
    {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", errc::tool_failed,
     "without a result"},
    {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", errc::tool_failed,
     "without a result"},
    {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", errc::tool_failed, "without a result"},
    {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n", errc::tool_failed, "without a result"},
    {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{", errc::peer_gone, "broke off"},
    {"", errc::peer_gone, "broke off"},
    {"what is this\r\n\r\n", errc::peer_gone, "broke off"},
};

TEST_F(toolbox_http, every_broken_answer_is_an_error_and_the_next_call_works) {
    for (std::size_t i = 0; i < std::size(broken_answers); ++i)
        of_tools["broken" + std::to_string(i)] = broken_answers[i].raw;
    open(remote());
    for (std::size_t i = 0; i < std::size(broken_answers); ++i) {
        auto answer = call("WEB_BROKEN" + std::to_string(i));
        ASSERT_FALSE(answer) << i;
        EXPECT_EQ(answer.error().code, broken_answers[i].code) << i;
        EXPECT_TRUE(has(answer.error().message, broken_answers[i].said)) << answer.error().message;
        EXPECT_EQ(data("WEB_CALL")["key"], "provider");
    }
}

TEST_F(toolbox_http, an_answer_over_the_limit_is_an_error) {
    of_tools["json"] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + std::string(30'000, ' ');
    of_tools["events"] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + std::string(30'000, 'x');
    auto options = remote();
    options.max_result_bytes = 20'000;
    open(options);
    EXPECT_EQ(call("WEB_JSON").error().code, errc::too_large);
    EXPECT_TRUE(has(error("WEB_EVENTS"), "tools.max_result_bytes"));
    EXPECT_EQ(data("WEB_CALL")["key"], "provider");
}

TEST_F(toolbox_http, a_server_that_is_not_there_is_named_without_its_path) {
    auto options = remote();
    close_server();
    options.url += "?secret=1";
    open(options);
    auto answer = call("WEB_CALL");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::unavailable);
    EXPECT_TRUE(has(answer.error().message, "cannot connect to http://127.0.0.1:")) << answer.error().message;
    EXPECT_FALSE(has(answer.error().message, "secret"));
}

TEST_F(toolbox_http, a_server_that_hangs_ends_at_the_timeout_and_is_given_up) {
    open(remote(milliseconds(1'000)));
    warm_up("WEB_CALL");
    server->replace([](exchange& on) -> awaitable<void> { co_await on.wait_for_close(); });
    EXPECT_EQ(call("WEB_CALL").error().code, errc::timeout);
    server->replace([this](exchange& on) -> awaitable<void> { co_await serve(on); });
    EXPECT_TRUE(run_until(
        io, [&] { return call("WEB_CALL").has_value(); }, std::chrono::seconds(30)));
}

TEST_F(toolbox_http, a_url_that_is_none_is_an_error) {
    auto options = remote();
    options.url = "ftp://host/";
    open(options);
    EXPECT_TRUE(has(error("WEB_CALL"), "must begin with http:// or https://"));
}

}  // namespace
}  // namespace gateway::tools
