// Verbs for tests of the tool router's routes: a server on a Unix socket, requests as an admin, answers as JSON. Cells
// are run by hand, in the sessions of fake_agent_session.hpp.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/api/composio/routes.hpp"
#include "gateway/http/server.hpp"
#include "gateway/http/session_keys.hpp"
#include "tests/gateway/api/composio/fake_toolbox.hpp"
#include "tests/support/await.hpp"
#include "tests/support/fake_agent_session.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::composio {

using nlohmann::json;

// "root" is an admin's key, "ana" one of ana's with scope session, "user" one of hers with scope execute.
class table_of_keys final : public http::authenticator {
  public:
    std::optional<http::principal> find(const std::optional<std::string>& key) override {
        if (key == "root") return http::principal{"default", http::scope::admin, "k1"};
        if (key == "ana") return http::principal{"ana", http::scope::session, "k2"};
        if (key == "user") return http::principal{"ana", http::scope::execute, "k3"};
        return std::nullopt;
    }
};

struct reply {
    int status = 0;
    std::string head;
    std::string text;  // of the body
    json body;         // discarded when it is no JSON

    std::string error() const { return body.is_object() && body.contains("error") ? body["error"]["message"] : ""; }
};

inline reply read_reply(const std::string& text) {
    reply made;
    const auto end = std::min(text.size(), text.find("\r\n\r\n"));
    made.head = text.substr(0, end);
    made.text = text.substr(std::min(text.size(), end + 4));
    if (text.size() > 12) made.status = std::atoi(text.substr(9, 3).c_str());
    made.body = json::parse(made.text, nullptr, false);
    return made;
}

class composio_fixture : public testing::Test {
  protected:
    composio_fixture() {
        options.keep_alive = milliseconds(20);
        options.head_wait = milliseconds(20);
        options.progress = milliseconds(20);
    }
    void SetUp() override {
        options.pool = &pool;
        routes_of = std::make_unique<service>(io.get_executor(), registry, toolbox, options);
        routes_of->add_routes(routes);
        http::server_options bound;
        bound.unix_socket = directory.path() + "/s";
        server = std::make_unique<http::server>(io.get_executor(), bound, routes, all_keys);
        ASSERT_TRUE(server->listen());
        tasks.spawn("server", server->run());
    }
    void TearDown() override {
        test_support::await(io, routes_of->stop());
        test_support::await(io, server->stop(milliseconds(100)));
        test_support::await(io, tasks.join());
    }

    // A connection that has sent its request. HTTP/1.0: the body is as it is, and ends with the connection.
    class connection {
      public:
        connection(asio::io_context& io, const std::string& path, const std::string& request) : io_(io), socket_(io) {
            socket_.connect(asio::local::stream_protocol::endpoint(path));
            asio::write(socket_, asio::buffer(request));
        }
        // Until `part` has come.
        std::string read_until(const std::string& part) {
            while (got_.find(part) == got_.npos)
                if (!test_support::await(io_, read_some())) throw std::runtime_error("closed before it came: " + got_);
            return got_;
        }
        reply finish() {
            while (test_support::await(io_, read_some())) continue;
            return read_reply(got_);
        }
        void close() { socket_.close(); }

      private:
        awaitable<bool> read_some() {
            char room[4096];
            auto token = asio::as_tuple(asio::use_awaitable);
            auto [ec, count] = co_await socket_.async_read_some(asio::buffer(room), token);
            got_.append(room, count);
            co_return !ec;
        }
        asio::io_context& io_;
        asio::local::stream_protocol::socket socket_;
        std::string got_;
    };

    connection open(const std::string& method, const std::string& target, const std::string& body = "",
                    const std::string& headers = "", const std::string& key = "root") {
        auto request = method + " " + target + " HTTP/1.0\r\nHost: localhost:8888\r\nx-api-key: " + key + "\r\n" +
                       headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        return connection(io, directory.path() + "/s", request);
    }
    reply call(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& headers = "", const std::string& key = "root") {
        return open(method, target, body, headers, key).finish();
    }
    // Below the session's own path.
    reply post(const std::string& path, const std::string& body) { return call("POST", base + "/" + id + path, body); }
    reply create(const std::string& body = R"({"user_id":"ana"})") {
        auto made = call("POST", base, body);
        if (made.status == 201) id = made.body["session_id"];
        return made;
    }
    std::shared_ptr<test_support::fake_agent_session> session() {
        return std::static_pointer_cast<test_support::fake_agent_session>(registry.find(id));
    }
    void wait_for_cells(std::size_t count) {
        auto sent = [&] { return session()->executed.size() >= count; };
        ASSERT_TRUE(test_support::run_until(io, sent, std::chrono::seconds(10)));
    }

    const std::string base = "/api/v3.1/tool_router/session";
    std::string id;
    asio::io_context io;
    asio::thread_pool pool{1};
    test_support::temporary_directory directory;
    test_support::fake_agent_registry registry{io.get_executor(), pool};
    fake_toolbox toolbox{io.get_executor()};
    service_options options;
    table_of_keys keys;
    http::session_keys session_keys{"secret"};
    http::session_key_authenticator all_keys{keys, session_keys,
                                             [this](const std::string& of) -> std::optional<std::string> {
                                                 auto found = registry.find(of);
                                                 return found ? std::optional(found->options().user_id) : std::nullopt;
                                             }};
    http::router routes;
    std::unique_ptr<service> routes_of;
    std::unique_ptr<http::server> server;
    task_group tasks{io.get_executor()};
};

}  // namespace gateway::api::composio
