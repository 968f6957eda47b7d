// Verbs for tests of the helper socket: an endpoint with the routes of the test, and calls of it. The key "good" is
// that of the session ses_1.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gateway/api/helpers/endpoint.hpp"
#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::helpers {

using nlohmann::json;

struct answer {
    int status = 0;
    json body;  // discarded when it is none
};

struct helper_client : testing::Test {
    asio::io_context io;
    test_support::temporary_directory directory;
    std::unique_ptr<endpoint> served;
    task_group tasks{io.get_executor()};

    virtual void add_routes(endpoint& to) = 0;

    std::string sockets() const { return directory.path() + "/helpers"; }
    std::string path() const { return sockets() + "/helper.sock"; }

    endpoint::limits bounds = [] {
        endpoint::limits made;
        made.large_body_bytes = 300'000;
        made.body_bytes = 100'000;
        return made;
    }();

    void SetUp() override { serve(); }
    // With other bounds.
    void served_anew() {
        test_support::await(io, served->stop());
        serve();
    }
    void serve() {
        auto find = [](const std::string& key) {
            return key == "good" ? std::optional<std::string>("ses_1") : std::nullopt;
        };
        served = std::make_unique<endpoint>(io.get_executor(), sockets(), find, bounds);
        add_routes(*served);
        auto bound = served->listen();
        ASSERT_TRUE(bound) << bound.error().message;
        tasks.spawn("endpoint", served->run());
    }
    void TearDown() override {
        test_support::await(io, served->stop());
        test_support::await(io, tasks.join());
    }

    static std::string request(const std::string& method, const std::string& target, const std::string& body,
                               const std::string& key) {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nx-cellgate-session-key: " + key +
               "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    static std::string post(const std::string& target, const std::string& body, const std::string& key = "good") {
        return request("POST", target, body, key);
    }
    static std::string get(const std::string& target, const std::string& key = "good") {
        return request("GET", target, "", key);
    }
    awaitable<answer> exchange(std::string request) {
        asio::local::stream_protocol::socket socket(io);
        asio::local::stream_protocol::endpoint where(path());
        co_await socket.async_connect(where, asio::use_awaitable);
        auto token = asio::as_tuple(asio::use_awaitable);
        (void)co_await asio::async_write(socket, asio::buffer(request), token);
        std::string text;
        (void)co_await asio::async_read(socket, asio::dynamic_buffer(text), token);
        answer made;
        made.status = std::atoi(text.substr(9, 3).c_str());
        made.body = json::parse(text.substr(std::min(text.size(), text.find("\r\n\r\n") + 4)), nullptr, false);
        co_return made;
    }
    static void expect_refusal(const answer& got, int status, const std::string& code, const std::string& says) {
        EXPECT_EQ(got.status, status);
        ASSERT_TRUE(got.body.is_object() && got.body.contains("error"));
        const auto& error = got.body["error"];
        EXPECT_EQ(error["code"], code);
        EXPECT_EQ(error["status"], status);
        EXPECT_NE(error["message"].get<std::string>().find(says), std::string::npos) << error["message"];
        EXPECT_FALSE(error["request_id"].get<std::string>().empty());
    }
    answer send(const std::string& request) { return test_support::await(io, exchange(request)); }
};

}  // namespace gateway::api::helpers
