#include "gateway/accounts/proxy.hpp"

#include <gmock/gmock.h>

#include "tests/gateway/accounts/account_fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::accounts {
namespace {

using test_support::await;
using test_support::exchange;
using test_support::scripted_server;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* secret = "the-secret-of-the-tests";

struct the_proxy : testing::Test {
    asio::io_context io;
    asio::thread_pool pool{1};
    test_support::temporary_directory home;
    std::unique_ptr<account_store> store = account_store::open(home.path(), "", account_rules{true}).value();
    tools::shared_meters used = std::make_shared<tools::meters>(io.get_executor());
    std::unique_ptr<scripted_server> server, other;
    proxy_options how;
    std::string address = "127.0.0.1";  // of every name, as long as nobody says otherwise
    int looked_up = 0;

    the_proxy() {
        how.reach.named = {*outbound::parse_network("127.0.0.1")};
        how.timeout = milliseconds(10'000);
        how.names = [this](std::string) -> awaitable<result<std::vector<asio::ip::address>>> {
            ++looked_up;
            std::vector<asio::ip::address> found{asio::ip::make_address(address)};
            co_return found;
        };
    }
    ~the_proxy() override {
        for (auto* each : {&server, &other})
            if (*each) await(io, (*each)->stop());
        pool.join();
    }
    void serve(scripted_server::script what) {
        server = std::make_unique<scripted_server>(io.get_executor(), std::move(what));
    }
    void serve_bytes(std::string bytes) {
        serve([bytes](exchange& on) -> awaitable<void> { co_await on.send(bytes); });
    }
    void serve_redirect(const std::string& location) {
        serve_bytes("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n");
    }
    std::string named(const scripted_server& which, const char* name) {
        return "http://" + std::string(name) + ":" + std::to_string(which.port());
    }
    account add(account given = bearer_account(), const char* with = secret) {
        given.base_url = named(*server, "api.example.com");
        if (other) given.hosts = {named(*other, "up.example.com")};
        return store->add(std::move(given), with).value();
    }
    result<proxy_answer> call(std::string endpoint = "/x", outbound::headers fields = {}) {
        proxy_request what;
        what.toolkit = "github";
        what.endpoint = std::move(endpoint);
        what.headers = std::move(fields);
        proxy with(io.get_executor(), *store, pool, how);
        account_scope ada{"ada", {}};
        return await(io, with.execute(std::move(what), std::move(ada), used), std::chrono::seconds(60));
    }
};

TEST_F(the_proxy, sends_the_secret_as_the_account_says) {
    serve_bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}");
    auto made = add();
    auto answer = call("/user");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "{\"a\":1}");
    EXPECT_THAT(server->requests().back(), HasSubstr("GET /user HTTP/1.1\r\n"));
    EXPECT_THAT(server->requests().back(), HasSubstr("authorization: Bearer the-secret-of-the-tests\r\n"));
    ASSERT_TRUE(store->remove(made.id));
    made = add(basic_account(), "password");
    ASSERT_TRUE(call());
    EXPECT_THAT(server->requests().back(), HasSubstr("authorization: Basic YWRhOnBhc3N3b3Jk\r\n"));
    ASSERT_TRUE(store->remove(made.id));
    auto prefixed = key_account(key_place::header, "Authorization");
    prefixed.prefix = "Token ";
    made = add(prefixed);
    ASSERT_TRUE(call());
    EXPECT_THAT(server->requests().back(), HasSubstr("authorization: Token the-secret-of-the-tests\r\n"));
    ASSERT_TRUE(store->remove(made.id));
    add(key_account(key_place::query, "api key"), "a-secret+/&x");
    ASSERT_TRUE(call("/a?b=1"));
    EXPECT_THAT(server->requests().back(), HasSubstr("GET /a?b=1&api%20key=a-secret%2B%2F%26x HTTP/1.1\r\n"));
}

TEST_F(the_proxy, an_error_of_the_service_is_an_answer) {
    serve_bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
    add();
    EXPECT_EQ(call()->status, 404);
}

TEST_F(the_proxy, nothing_of_the_secret_comes_back) {
    serve([](exchange& on) -> awaitable<void> {
        co_await on.answer("500 Broken", "text/plain", on.head, "X-Echo: " + on.header("authorization") + "\r\n");
    });
    add();
    auto answer = call();
    ASSERT_TRUE(answer);
    EXPECT_THAT(envelope(*answer), Not(HasSubstr(secret)));
}

TEST_F(the_proxy, follows_a_redirect_to_its_own_host_with_the_secret) {
    serve([](exchange& on) -> awaitable<void> {
        if (on.head.starts_with("GET /old "))
            co_await on.answer("302 Found", "text/plain", "", "Location: /new\r\n");
        else
            co_await on.answer("200 OK", "text/plain", "arrived");
    });
    add();
    EXPECT_EQ(call("/old")->body, "arrived");
    EXPECT_THAT(server->requests().at(1), HasSubstr(secret));
}

TEST_F(the_proxy, a_redirect_to_another_of_the_accounts_hosts_goes_without_the_secret) {
    auto arrive = [](exchange& on) -> awaitable<void> { co_await on.answer("200 OK", "text/plain", "arrived"); };
    other = std::make_unique<scripted_server>(io.get_executor(), arrive);
    serve_redirect(named(*other, "up.example.com") + "/file");
    add();
    EXPECT_EQ(call()->body, "arrived");
    EXPECT_THAT(other->requests().at(0), Not(HasSubstr(secret)));
}

TEST_F(the_proxy, a_redirect_to_a_foreign_host_is_not_followed) {
    auto steal = [](exchange& on) -> awaitable<void> { co_await on.answer("200 OK", "text/plain", "stolen"); };
    scripted_server thief(io.get_executor(), steal);
    for (const auto& location :
         {named(thief, "evil.example"), named(thief, "127.0.0.1"), thief.url("/"), std::string("//evil.example/")}) {
        serve_redirect(location);
        auto made = add();
        EXPECT_EQ(call().error().code, errc::origin_mismatch) << location;
        ASSERT_TRUE(store->remove(made.id));
        await(io, server->stop());
    }
    EXPECT_THAT(thief.requests(), SizeIs(0));
    await(io, thief.stop());
}

TEST_F(the_proxy, redirects_in_a_circle_end) {
    serve_redirect("/x");
    add();
    EXPECT_EQ(call().error().code, errc::tool_failed);
    EXPECT_THAT(server->requests(), SizeIs(6));
}

// The name means a public address when it is looked at first and this machine afterwards: each connection goes to the
// very address that was checked.
TEST_F(the_proxy, a_name_that_changes_its_address_reaches_nothing_new) {
    how.reach.named.clear();
    serve_redirect("/again");
    add();
    for (const char* each : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
                             "fd00::1", "100.64.0.1", "224.0.0.1", "2002:7f00:1::", "fe80::1"}) {
        address = each;
        auto answer = call();
        ASSERT_FALSE(answer) << each;
        EXPECT_EQ(answer.error().code, errc::forbidden) << each;
    }
    EXPECT_THAT(server->requests(), SizeIs(0));
}

TEST_F(the_proxy, each_hop_is_looked_up_and_checked_again) {
    serve([this](exchange& on) -> awaitable<void> {
        address = "10.0.0.1";  // as a name server of the attacker would answer the second time
        co_await on.answer("302 Found", "text/plain", "", "Location: /inside\r\n");
    });
    add();
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::forbidden);
    EXPECT_EQ(looked_up, 2);
    EXPECT_THAT(server->requests(), SizeIs(1));
}

TEST_F(the_proxy, an_endless_answer_ends_at_the_limit) {
    serve([](exchange& on) -> awaitable<void> {
        co_await on.send("HTTP/1.1 200 OK\r\n\r\n");
        const std::string piece(1 << 20, 'x');
        for (int count = 0; count < 400; ++count) co_await on.send(piece);
    });
    how.max_response_bytes = 1 << 20;
    add();
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::too_large);
    EXPECT_THAT(answer.error().message, HasSubstr("accounts.max_response_bytes"));
}

TEST_F(the_proxy, an_answer_that_never_ends_ends_at_the_deadline) {
    serve([](exchange& on) -> awaitable<void> {
        co_await on.send("HTTP/1.1 200 OK\r\n\r\nx");
        co_await on.wait_for_close();
    });
    how.timeout = milliseconds(200);
    add();
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::timeout);
    EXPECT_THAT(answer.error().message, HasSubstr("accounts.timeout_s"));
}

TEST_F(the_proxy, a_head_that_never_ends_ends) {
    serve([](exchange& on) -> awaitable<void> {
        co_await on.send("HTTP/1.1 200 OK\r\n");
        for (int count = 0; count < 10'000; ++count) co_await on.send("X-A: " + std::string(100, 'x') + "\r\n");
    });
    add();
    EXPECT_EQ(call().error().code, errc::peer_gone);
}

TEST_F(the_proxy, a_gzip_bomb_is_handed_on_as_it_came) {
    serve_bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08" +
                std::string(1000, 'x'));
    add();
    auto answer = call();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->form, answer_form::binary);
    EXPECT_EQ(answer->body.size(), 1003u);
    EXPECT_THAT(server->requests().at(0), HasSubstr("Accept-Encoding: identity\r\n"));
}

TEST_F(the_proxy, the_callers_headers_go_along) {
    serve_bytes("HTTP/1.1 204 No Content\r\n\r\n");
    add();
    ASSERT_TRUE(call("/x", {{"X-A", "b"}, {"Accept", "text/csv"}, {"User-Agent", "mine"}}));
    const auto& head = server->requests().at(0);
    for (const char* each : {"X-A: b\r\n", "Accept: text/csv\r\n", "User-Agent: mine\r\n"})
        EXPECT_THAT(head, HasSubstr(each));
    EXPECT_THAT(head, Not(HasSubstr("*/*")));
}

TEST_F(the_proxy, calls_of_a_session_take_turns) {
    how.per_session.concurrent = 1;
    serve_bytes("HTTP/1.1 204 No Content\r\n\r\n");
    add();
    auto held = await(io, used->proxy.begin(how.per_session)).value();
    how.timeout = milliseconds(100);
    EXPECT_EQ(call().error().code, errc::timeout);
    EXPECT_THAT(server->requests(), SizeIs(0));
}

TEST_F(the_proxy, only_calls_that_are_made_are_counted) {
    how.per_session.calls = 1;
    serve_bytes("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_EQ(call().error().code, errc::no_account);
    add();
    EXPECT_EQ(call("https://evil.example/").error().code, errc::origin_mismatch);
    EXPECT_TRUE(call());
    EXPECT_EQ(call().error().code, errc::limit_reached);
    EXPECT_EQ(used->proxy.calls(), 1u);
}

TEST_F(the_proxy, keeps_to_https_once_the_operator_asks_for_it) {
    serve_bytes("HTTP/1.1 204 No Content\r\n\r\n");
    add();
    store = account_store::open(home.path(), "", account_rules{false}).value();
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::forbidden);
    EXPECT_THAT(server->requests(), SizeIs(0));
}

TEST_F(the_proxy, an_account_that_is_not_there_says_what_to_do) {
    serve_bytes("");
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::no_account);
    EXPECT_THAT(answer.error().message, HasSubstr("/api/v1/accounts"));
}

TEST_F(the_proxy, a_failure_repeats_no_secret) {
    serve_redirect(std::string("https://") + secret + ".evil.example/");
    add();
    auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, Not(HasSubstr(secret)));
}

}  // namespace
}  // namespace gateway::accounts
