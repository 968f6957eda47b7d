#include "gateway/tools/composio_tools.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/await.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;
using test_support::await;
using test_support::exchange;
using test_support::run_until;
using testing::HasSubstr;
using testing::Not;

constexpr const char* key = "ak_the-key-of-the-tests";

// The toolkits that it stands before.
struct other_toolkits final : toolbox {
    std::string called;

    awaitable<result<std::string>> execute(std::string slug, std::string, tool_caller) override {
        called = std::move(slug);
        co_return failure{errc::not_found, "there is no such tool"};
    }
    awaitable<std::vector<tool_description>> list() override {
        std::vector<tool_description> made{{"FILES_READ", "FILES", "read", "reads", "{}"}};
        co_return made;
    }
    bool empty() const override { return false; }
    awaitable<void> stop() override { co_return; }
};

std::string listed(const std::string& slug, const std::string& toolkit) {
    return R"({"slug":")" + slug + R"(","name":"n","description":"d","toolkit":{"slug":")" + toolkit +
           R"("},"input_parameters":{"type":"object"},"version":"20250909_00"})";
}

struct the_composio_account : testing::Test {
    asio::io_context io;
    other_toolkits others;
    shared_meters used = std::make_shared<meters>(io.get_executor());
    std::string answer = R"({"data":{"ok":1},"error":null,"successful":true})";
    std::string status = "200 OK";
    milliseconds timeout{5'000};
    std::vector<std::string> bodies;
    test_support::scripted_server server{io.get_executor(), [this](exchange& on) { return serve(on); }};
    std::unique_ptr<toolbox> box = make();

    std::unique_ptr<event> held;  // lists are answered when it is notified
    task_group callers{io.get_executor()};
    std::vector<result<std::string>> got;

    awaitable<void> ask(std::string slug) {
        auto answered = co_await box->execute(std::move(slug), "{}", tool_caller(used, "ada", ""));
        got.push_back(std::move(answered));
    }
    awaitable<void> leave() {
        callers.cancel();
        co_await callers.join();
    }
    awaitable<void> serve(exchange& on) {
        if (held && on.method() == "GET") co_await held->wait();
        if (on.method() == "POST") {
            bodies.push_back(on.body);
            co_await on.answer(status, "application/json", answer);
        } else if (on.head.find("cursor=p%2B2") != std::string::npos) {
            co_await on.answer("200 OK", "application/json",
                               R"({"items":[)" + listed("GITHUB_B", "github") + R"(],"next_cursor":null})");
        } else if (on.head.find("toolkit_slug=github") != std::string::npos) {
            co_await on.answer(status, "application/json",
                               R"({"items":[)" + listed("GITHUB_A", "github") + "," + listed("OTHER_X", "other") +
                                   R"(],"next_cursor":"p+2"})");
        } else {
            co_await on.answer(
                "200 OK", "application/json",
                R"({"items":[)" + listed("GMAIL_SEND", "gmail") + "," + listed("GMAIL_READ", "gmail") + "]}");
        }
    }
    std::unique_ptr<toolbox> make(std::string user = "") {
        composio_options options;
        options.base_url = server.url("/");
        options.api_key = key;
        options.toolkits = {"github"};
        options.tools = {"gmail_send"};
        options.user_id = std::move(user);
        options.timeout = timeout;
        return make_composio_tools(io.get_executor(), others, std::move(options));
    }
    result<std::string> call(const std::string& slug, const std::string& arguments = "{}",
                             const std::string& account = "") {
        return await(io, box->execute(slug, arguments, tool_caller(used, "ada", account)));
    }
    std::string slugs() {
        std::string made;
        for (const auto& each : await(io, box->list())) made += each.slug + " ";
        return made;
    }
    ~the_composio_account() override {
        await(io, box->stop());
        await(io, server.stop());
    }
};

TEST_F(the_composio_account, shows_the_tools_that_are_allowed_beside_the_others) {
    EXPECT_EQ(slugs(), "FILES_READ GITHUB_A GITHUB_B GMAIL_SEND ");
    EXPECT_THAT(server.requests().at(0),
                HasSubstr("GET /api/v3.1/tools?limit=500&toolkit_versions=latest&toolkit_slug=github HTTP/1.1"));
    EXPECT_THAT(server.requests().at(0), HasSubstr(std::string("x-api-key: ") + key));
}

TEST_F(the_composio_account, lists_once_for_many_calls) {
    ASSERT_TRUE(call("GITHUB_A"));
    ASSERT_TRUE(call("GITHUB_B"));
    EXPECT_EQ(slugs(), "FILES_READ GITHUB_A GITHUB_B GMAIL_SEND ");
    EXPECT_EQ(server.requests().size(), 3u + 2u);
}

TEST_F(the_composio_account, is_listed_on_when_the_caller_who_began_it_goes) {
    held = std::make_unique<event>(io.get_executor());
    callers.spawn("first", ask("GITHUB_A"));
    run_until(io, [&] { return server.requests().size() == 1; });
    await(io, leave());
    got.clear();  // it was cancelled
    callers.spawn("second", ask("GITHUB_A"));
    callers.spawn("third", ask("GITHUB_B"));
    io.restart();
    io.poll();
    held->notify_all();
    held.reset();
    run_until(io, [&] { return got.size() == 2; });
    await(io, callers.join());
    ASSERT_EQ(got.size(), 2u);
    for (const auto& each : got) EXPECT_TRUE(each) << each.error().message;
    EXPECT_EQ(server.requests().size(), 3u + 2u);  // one listing
}

TEST_F(the_composio_account, that_is_slow_shows_a_list_no_less_than_a_call_that_follows_uses) {
    timeout = milliseconds(200);
    box = make();
    held = std::make_unique<event>(io.get_executor());
    EXPECT_EQ(slugs(), "FILES_READ ");
    held.reset();
    EXPECT_THAT(call("GITHUB_A").error().message, HasSubstr("tools.timeout_s"));
    EXPECT_TRUE(bodies.empty());
}

TEST_F(the_composio_account, calls_a_tool_for_the_sessions_user) {
    auto got = call("github_a", R"({"x": [1]})");
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(json::parse(*got)["data"]["ok"], 1);
    EXPECT_THAT(server.requests().back(), HasSubstr("POST /api/v3.1/tools/execute/GITHUB_A HTTP/1.1"));
    EXPECT_EQ(json::parse(bodies.at(0)),
              json::parse(R"({"user_id":"ada","version":"20250909_00","arguments":{"x":[1]}})"));
}

TEST_F(the_composio_account, passes_the_account_on) {
    ASSERT_TRUE(call("GITHUB_A", "{}", "ca_9"));
    EXPECT_EQ(json::parse(bodies.at(0))["connected_account_id"], "ca_9");
}

TEST_F(the_composio_account, may_have_one_user_for_all) {
    box = make("company");
    ASSERT_TRUE(call("GITHUB_A"));
    EXPECT_EQ(json::parse(bodies.at(0))["user_id"], "company");
}

TEST_F(the_composio_account, is_not_asked_for_tools_that_are_not_allowed) {
    EXPECT_EQ(call("GMAIL_READ").error().code, errc::not_found);
    EXPECT_EQ(others.called, "GMAIL_READ");
    EXPECT_EQ(call("GITHUB_NONE").error().code, errc::not_found);
    EXPECT_EQ(call("FILES_READ").error().code, errc::not_found);
    EXPECT_EQ(others.called, "FILES_READ");
    EXPECT_TRUE(bodies.empty());
}

TEST_F(the_composio_account, a_tools_failure_is_an_answer) {
    answer = R"({"data":{},"error":"no such repo","successful":false})";
    EXPECT_EQ(json::parse(*call("GITHUB_A"))["error"], "no such repo");
}

TEST_F(the_composio_account, refusals_say_what_to_do_and_never_the_key) {
    struct refusal {
        const char* given;
        errc code;
        const char* says;
    };
    const refusal all[] = {{"400 Bad", errc::invalid_request, "refuses the call: said so, asked with (hidden)"},
                           {"401 No", errc::tool_failed, "api_key"},
                           {"429 Slow", errc::rate_limited, "429"},
                           {"500 Broken", errc::tool_failed, "HTTP 500"}};
    for (const auto& [given, code, says] : all) {
        status = "200 OK";
        ASSERT_TRUE(slugs().size());
        status = given;
        answer = std::string(R"({"error":{"message":"said so, asked with )") + key + R"("}})";
        auto got = call("GITHUB_A");
        ASSERT_FALSE(got) << given;
        EXPECT_EQ(got.error().code, code) << given;
        EXPECT_THAT(got.error().message, HasSubstr(says));
        EXPECT_THAT(got.error().message, HasSubstr("GITHUB_A"));
        EXPECT_THAT(got.error().message, Not(HasSubstr(key)));
    }
}

TEST_F(the_composio_account, arguments_that_are_no_object_go_nowhere) {
    for (const char* each : {"[]", "{", "5", "", "{}x"})
        EXPECT_EQ(call("GITHUB_A", each).error().code, errc::invalid_request) << each;
    EXPECT_TRUE(bodies.empty());
}

TEST_F(the_composio_account, that_cannot_be_listed_leaves_the_others_alone) {
    status = "500 Broken";
    EXPECT_EQ(slugs(), "FILES_READ ");
    EXPECT_THAT(call("GITHUB_A").error().message, HasSubstr("HTTP 500"));
}

}  // namespace
}  // namespace gateway::tools
