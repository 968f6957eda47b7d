// A proxy on a Unix socket, a server behind it on loopback, and a client before it; all in the test's io_context. Names
// mean what the test says; loopback may be reached, other networks of this kind may not.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gateway/egress/proxy.hpp"
#include "tests/gateway/egress/tls_bytes.hpp"
#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::egress {

constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

// A connection that the server behind the proxy has.
struct peer {
    asio::ip::tcp::socket socket;
    std::string received;
    bool ended = false;  // the proxy sends no more
    bool failed = false;
};

// Keeps what it is sent; says only what the test tells it to.
class recording_server {
  public:
    explicit recording_server(executor ex)
        : acceptor_(ex, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)), tasks_(ex) {
        tasks_.spawn("accept", accept());
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    std::vector<std::shared_ptr<peer>> peers;
    std::string greeting;  // what each connection is sent at once
    bool reads = true;

    void start_reading(std::shared_ptr<peer> from) { tasks_.spawn("read", read(from)); }
    void send(std::shared_ptr<peer> to, std::string bytes) { tasks_.spawn("send", write(to, std::move(bytes))); }
    awaitable<void> stop() {
        tasks_.cancel();
        co_await tasks_.join();
    }

  private:
    awaitable<void> accept() {
        while (true) {
            auto [ec, socket] = co_await acceptor_.async_accept(as_tuple);
            if (ec) co_return;
            auto made = std::make_shared<peer>(peer{std::move(socket), {}, false, false});
            peers.push_back(made);
            if (!greeting.empty()) send(made, greeting);
            if (reads) start_reading(made);
        }
    }
    awaitable<void> read(std::shared_ptr<peer> from) {
        std::vector<char> bytes(64u << 10);
        while (true) {
            auto [ec, count] = co_await from->socket.async_read_some(asio::buffer(bytes), as_tuple);
            from->received.append(bytes.data(), count);
            from->failed = ec && ec != asio::error::eof;
            from->ended = bool(ec);
            if (ec) co_return;
        }
    }
    awaitable<void> write(std::shared_ptr<peer> to, std::string bytes) {
        (void)co_await asio::async_write(to->socket, asio::buffer(bytes), as_tuple);
    }

    asio::ip::tcp::acceptor acceptor_;
    task_group tasks_;
};

// A program in the session.
class program {
  public:
    program(asio::io_context& io, const std::string& path) : io_(io), socket_(io) { socket_.connect({path}); }

    program& send(std::string bytes) {
        test_support::await(io_, write(std::move(bytes)));
        return *this;
    }
    std::string read(std::size_t count) { return test_support::await(io_, read_until(count, "")); }
    std::string read_head() { return test_support::await(io_, read_until(std::string::npos, "\r\n\r\n")); }
    std::string read_rest() { return test_support::await(io_, read_until(std::string::npos, "")); }
    void end_sending() { socket_.shutdown(asio::socket_base::shutdown_send); }
    void close() { socket_.close(); }
    awaitable<void> write(std::string bytes) {
        (void)co_await asio::async_write(socket_, asio::buffer(bytes), as_tuple);
    }

  private:
    awaitable<std::string> read_until(std::size_t count, std::string end) {
        std::string found;
        std::vector<char> bytes(end.empty() ? 64u << 10 : 1);
        while (found.size() < count && (end.empty() || !found.ends_with(end))) {
            auto most = std::min(bytes.size(), count - found.size());
            auto [ec, got] = co_await socket_.async_read_some(asio::buffer(bytes.data(), most), as_tuple);
            found.append(bytes.data(), got);
            if (ec) break;
        }
        co_return found;
    }

    asio::io_context& io_;
    asio::local::stream_protocol::socket socket_;
};

struct proxy_fixture : testing::Test {
    asio::io_context io;
    test_support::temporary_directory directory;
    recording_server server{io.get_executor()};
    options how;
    std::map<std::string, std::deque<std::string>> names{{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}};
    std::vector<std::string> looked_up;
    std::vector<std::string> told;  // events
    std::unique_ptr<proxy> made;

    proxy_fixture() {
        how.reach.loopback = true;
        how.names = [this](std::string name) { return look_up(name); };
    }
    ~proxy_fixture() override {
        if (made) test_support::await(io, made->stop());
        test_support::await(io, server.stop());
    }

    // As a session's network has one on TCP.
    acceptor listener(const std::string& at) {
        std::filesystem::remove(at);  // of the proxy before
        asio::local::stream_protocol::acceptor made(io, {at});
        const auto protocol = asio::generic::stream_protocol(AF_UNIX, 0);
        return acceptor(io, protocol, made.release());
    }
    std::string path() const { return directory.path() + "/proxy.sock"; }
    std::string port() const { return std::to_string(server.port()); }
    std::string at(const std::string& host) const { return host + ":" + port(); }

    // What a rule is for `host` on the server's port.
    std::string rule(const std::string& host, const char* kind = "host") const {
        return "{\"" + std::string(kind) + "\":\"" + host + "\",\"ports\":[" + port() + "]}";
    }
    static policy policy_of(const std::string& text) { return parse_policy(nlohmann::json::parse(text), 200).value(); }
    policy allow(const std::string& rules) const { return policy_of("{\"mode\":\"allow\",\"allow\":[" + rules + "]}"); }

    void start(policy what) {
        meter_events tell;
        tell.denied = [this](const destination& to, denial why) { told.push_back(to.host + " " + to_string(why)); };
        tell.used_up = [this](std::uint64_t most) { told.push_back("used up " + std::to_string(most)); };
        made = std::make_unique<proxy>(io.get_executor(), std::move(what), how, std::move(tell));
        made->serve(listener(path()));
    }
    void start() { start(allow(rule("a.test"))); }

    program open() { return program(io, path()); }
    bool until(std::function<bool()> so) { return test_support::run_until(io, so); }
    // As long as anything happens.
    void settle() {
        for (int quiet = 0; quiet < 200;) {
            io.restart();
            quiet = io.poll() == 0 ? quiet + 1 : 0;
        }
    }

    static std::string connect_to(const std::string& authority) {
        return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    }
    // The status of the answer to CONNECT, with the code of the error.
    std::string asked(const std::string& authority) {
        auto answer = open().send(connect_to(authority)).read_rest();
        return answer.substr(9, 3) + " " + code_in(answer);
    }
    static std::string code_in(const std::string& answer) {
        auto at = answer.find("\r\n\r\n");
        auto body =
            nlohmann::json::parse(answer.substr(at == std::string::npos ? answer.size() : at + 4), nullptr, false);
        return body.is_object() ? body["error"]["code"].get<std::string>() : "";
    }
    // A tunnel whose ClientHello has been passed on.
    program tunnel(const std::string& host, const std::string& hello) {
        auto peers = server.peers.size();
        auto client = open();
        EXPECT_EQ(client.send(connect_to(at(host))).read_head().substr(0, 12), "HTTP/1.1 200");
        client.send(hello);
        EXPECT_TRUE(until([&] { return server.peers.size() > peers && server.peers.back()->received == hello; }));
        return client;
    }
    program tunnel(const std::string& host) { return tunnel(host, hello_for(host)); }
    peer& last_peer() { return *server.peers.back(); }
    void server_sends(const std::string& bytes) { server.send(server.peers.back(), bytes); }
    void server_ends() { last_peer().socket.shutdown(asio::socket_base::shutdown_send); }

  private:
    // The next of its answers, and the last again and again. "a|b" is several addresses.
    awaitable<result<outbound::addresses>> look_up(std::string name) {
        looked_up.push_back(name);
        auto found = names.find(name);
        if (found == names.end()) co_return failure{errc::unavailable, "there is no " + name};
        auto text = found->second.front();
        if (found->second.size() > 1) found->second.pop_front();
        outbound::addresses all;
        for (std::size_t begin = 0; begin < text.size();) {
            auto end = std::min(text.find('|', begin), text.size());
            all.push_back(asio::ip::make_address(text.substr(begin, end - begin)));
            begin = end + 1;
        }
        co_return all;
    }
};

}  // namespace gateway::egress
