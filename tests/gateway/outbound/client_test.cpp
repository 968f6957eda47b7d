#include "gateway/outbound/client.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/gateway/outbound/certificate.hpp"
#include "tests/support/await.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::outbound {
namespace {

using test_support::await;
using test_support::exchange;
using test_support::scripted_server;

struct whole_answer {
    int status = 0;
    headers fields;
    std::string body;
};

awaitable<result<whole_answer>> fetch(client& with, request what, std::size_t max_bytes) {
    auto head = co_await with.send(std::move(what));
    if (!head) co_return head.error();
    whole_answer answer;
    answer.status = (*head)->status();
    answer.fields = (*head)->fields();
    auto body = co_await read_all(**head, max_bytes);
    if (!body) co_return body.error();
    answer.body = std::move(*body);
    co_return answer;
}

struct outbound_client : testing::Test {
    asio::io_context io;
    std::unique_ptr<scripted_server> server;
    client::options how{address_policy::configured(), milliseconds(5000), 64u << 10, "", {}};

    void serve(scripted_server::script what, asio::ssl::context* tls = nullptr) {
        server = std::make_unique<scripted_server>(io.get_executor(), std::move(what), tls);
    }
    void serve_bytes(std::string bytes) {
        serve([bytes](exchange& on) -> awaitable<void> { co_await on.send(bytes); });
    }
    result<whole_answer> get(std::size_t max_bytes = 1000, std::string body = "") {
        client with(io.get_executor(), how);
        request what;
        what.method = body.empty() ? "GET" : "POST";
        what.to = *parse_url(server->url("/x?y=1"));
        what.body = std::move(body);
        return await(io, fetch(with, what, max_bytes));
    }
    ~outbound_client() override {
        if (server) await(io, server->stop());
    }
};

TEST_F(outbound_client, reads_a_body_of_known_length) {
    serve_bytes("HTTP/1.1 201 Created\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello");
    auto answer = get();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(find_header(answer->fields, "x-a"), "b");
}

TEST_F(outbound_client, reads_a_chunked_body) {
    serve_bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
    EXPECT_EQ(get()->body, "abcde");
}

TEST_F(outbound_client, reads_a_body_that_ends_with_the_connection) {
    serve_bytes("HTTP/1.1 200 OK\r\n\r\nall of it");
    EXPECT_EQ(get()->body, "all of it");
}

TEST_F(outbound_client, sends_method_target_host_and_body) {
    serve([](exchange& on) -> awaitable<void> { co_await on.answer("200 OK", "text/plain", on.head + on.body); });
    auto answer = get(1000, "payload");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.rfind("POST /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:", 0), 0u) << answer->body;
    EXPECT_NE(answer->body.find("Content-Length: 7\r\n"), std::string::npos);
    EXPECT_EQ(answer->body.substr(answer->body.size() - 7), "payload");
}

TEST_F(outbound_client, does_not_follow_a_redirect) {
    serve_bytes("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(get()->status, 302);
    EXPECT_EQ(server->requests().size(), 1u);
}

TEST_F(outbound_client, interim_answers_are_passed_over) {
    serve_bytes(
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    auto answer = get();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(find_header(answer->fields, "link"), "");
}

TEST_F(outbound_client, interim_answers_alone_are_an_error) {
    std::string many;
    for (int count = 0; count < 100; ++count) many += "HTTP/1.1 103 Early Hints\r\n\r\n";
    serve_bytes(many + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(get().error().code, errc::peer_gone);
    await(io, server->stop());
    serve_bytes("HTTP/1.1 103 Early Hints\r\n\r\n");
    EXPECT_EQ(get().error().code, errc::peer_gone);
}

TEST_F(outbound_client, another_protocol_is_an_error) {
    serve_bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
    auto answer = get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::peer_gone);
    EXPECT_NE(answer.error().message.find("another protocol"), std::string::npos);
}

TEST_F(outbound_client, a_body_in_pieces_of_a_byte_is_whole) {
    std::string body;
    for (int count = 0; count < 900; ++count)
        body += std::string("1\r\n") + static_cast<char>('a' + count % 26) + "\r\n";
    serve_bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + "0\r\n\r\n");
    auto answer = get();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.substr(0, 3), "abc");
    EXPECT_EQ(answer->body.size(), 900u);
}

TEST_F(outbound_client, a_body_over_the_limit_is_refused) {
    serve_bytes("HTTP/1.1 200 OK\r\n\r\n" + std::string(2000, 'x'));
    auto answer = get(1999);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::too_large);
}

TEST_F(outbound_client, a_head_over_the_limit_is_refused) {
    how.max_header_bytes = 100;
    serve_bytes("HTTP/1.1 200 OK\r\nX-A: " + std::string(200, 'x') + "\r\n\r\n");
    EXPECT_EQ(get().error().code, errc::peer_gone);
}

TEST_F(outbound_client, a_body_that_breaks_off_is_an_error) {
    serve_bytes("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello");
    auto answer = get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::peer_gone);
    EXPECT_NE(answer.error().message.find("broke off"), std::string::npos);
}

TEST_F(outbound_client, an_answer_that_is_no_http_is_an_error) {
    serve_bytes("SSH-2.0-OpenSSH\r\n");
    EXPECT_EQ(get().error().code, errc::peer_gone);
}

TEST_F(outbound_client, a_refused_connection_says_where) {
    serve_bytes("");
    auto to = parse_url(server->url("/secret?key=1"));
    await(io, server->stop());
    server.reset();
    client with(io.get_executor(), how);
    request what;
    what.to = *to;
    auto answer = await(io, fetch(with, what, 10));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, errc::unavailable);
    EXPECT_EQ(answer.error().message.rfind("cannot connect to " + to->origin() + ": ", 0), 0u)
        << answer.error().message;
}

TEST_F(outbound_client, a_name_that_does_not_exist_is_an_error) {
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url("http://nothing.invalid/");
    auto answer = await(io, fetch(with, what, 10));
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().code == errc::unavailable || answer.error().code == errc::timeout);
}

TEST_F(outbound_client, an_address_that_the_policy_closes_is_never_connected_to) {
    how.reach = address_policy::public_only();
    serve_bytes("HTTP/1.1 200 OK\r\n\r\n");
    EXPECT_EQ(get().error().code, errc::forbidden);
    EXPECT_TRUE(server->requests().empty());
}

// What a name meant when it was looked up is what is connected to: a second look-up could mean another address.
TEST_F(outbound_client, a_name_is_looked_up_once_and_each_of_its_addresses_is_checked) {
    int asked = 0;
    how.reach = address_policy{false, false, {*parse_network("127.0.0.1")}};
    how.names = [&](std::string name) -> awaitable<result<std::vector<asio::ip::address>>> {
        EXPECT_EQ(name, "rebind.example");
        ++asked;
        std::vector<asio::ip::address> found{asio::ip::make_address("10.0.0.1"), asio::ip::make_address("127.0.0.1")};
        co_return found;
    };
    serve_bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url(server->url());
    what.to.host = "rebind.example";
    auto answer = await(io, fetch(with, what, 10));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "hi");
    EXPECT_EQ(asked, 1);
    how.reach = address_policy::public_only();
    EXPECT_EQ(await(io, fetch(*std::make_unique<client>(io.get_executor(), how), what, 10)).error().code,
              errc::forbidden);
    EXPECT_EQ(server->requests().size(), 1u);
}

TEST_F(outbound_client, a_user_agent_that_is_given_is_the_only_one) {
    serve([](exchange& on) -> awaitable<void> { co_await on.answer("200 OK", "text/plain", on.head); });
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url(server->url());
    what.fields.emplace_back("user-agent", "mine");
    auto answer = await(io, fetch(with, what, 1000));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.find("cellgate/"), std::string::npos);
    EXPECT_NE(answer->body.find("user-agent: mine\r\n"), std::string::npos);
}

TEST_F(outbound_client, a_header_that_would_begin_another_line_is_refused) {
    serve_bytes("");
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url(server->url());
    what.fields.emplace_back("x-a", "b\r\nHost: other");
    EXPECT_EQ(await(io, fetch(with, what, 10)).error().code, errc::invalid_request);
}

TEST_F(outbound_client, pieces_come_as_they_are_sent) {
    event go(io.get_executor());
    serve([&go](exchange& on) -> awaitable<void> {
        co_await on.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
        co_await go.wait_for(milliseconds(10'000));
        co_await on.send("3\r\ntwo\r\n0\r\n\r\n");
    });
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url(server->url());
    auto answer = await(io, with.send(what));
    ASSERT_TRUE(answer);
    EXPECT_EQ(**await(io, (*answer)->read_some()), "one");  // the second piece has not been sent yet
    go.notify_all();
    EXPECT_EQ(**await(io, (*answer)->read_some()), "two");
    EXPECT_FALSE(await(io, (*answer)->read_some())->has_value());
}

TEST_F(outbound_client, a_silent_server_ends_at_the_callers_deadline) {
    serve([](exchange& on) -> awaitable<void> { co_await on.wait_for_close(); });
    client with(io.get_executor(), how);
    request what;
    what.to = *parse_url(server->url());
    auto bounded = with_timeout(with.send(what), milliseconds(50), "the answer");
    EXPECT_EQ(await(io, std::move(bounded)).error().code, errc::timeout);
}

struct outbound_tls : outbound_client {
    test_support::temporary_directory directory;
    asio::ssl::context context{asio::ssl::context::tls_server};

    void serve_as(const std::string& names, bool trusted) {
        auto made = test_support::make_certificate(names);
        context.use_certificate(asio::buffer(made.pem), asio::ssl::context::pem);
        context.use_private_key(asio::buffer(made.key_pem), asio::ssl::context::pem);
        how.ca_file = directory.path() + "/ca.pem";
        std::ofstream(how.ca_file) << (trusted ? made.pem : test_support::make_certificate(names).pem);
        serve([](exchange& on) -> awaitable<void> { co_await on.answer("200 OK", "text/plain", "safe"); }, &context);
    }
};

TEST_F(outbound_tls, a_certificate_that_is_known_and_names_the_host_is_accepted) {
    serve_as("DNS:localhost,IP:127.0.0.1", true);
    auto answer = get();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "safe");
}

TEST_F(outbound_tls, an_unknown_certificate_is_refused) {
    serve_as("IP:127.0.0.1", false);
    auto answer = get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message.rfind("no TLS connection to https://127.0.0.1:", 0), 0u);
}

TEST_F(outbound_tls, a_certificate_for_another_host_is_refused) {
    serve_as("DNS:other.example", true);
    EXPECT_FALSE(get());
    EXPECT_TRUE(server->requests().empty());
}

}  // namespace
}  // namespace gateway::outbound
