// A real server on a loopback port, in a thread of its own, for tests. The test thread is its client.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "gateway/http/authenticator.hpp"
#include "gateway/http/server.hpp"

namespace test_http {

// Keys as a table: "exec" belongs to ada with scope execute, "sess" to ada with session, "root" is an admin's.
class table_authenticator final : public gateway::http::authenticator {
  public:
    std::optional<gateway::http::principal> find(const std::optional<std::string>& key) override;
    bool requires_key() const override { return !open; }
    bool open = false;
};

// Told by the server's thread, waited for by the test's.
class notice {
  public:
    void tell();
    bool wait(std::chrono::milliseconds limit = std::chrono::seconds(10));

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool told_ = false;
};

class live_server {
  public:
    using add_routes = std::function<void(gateway::http::router&, gateway::executor)>;

    explicit live_server(add_routes routes, gateway::http::server_options options = {});
    ~live_server();

    std::uint16_t port() const { return server_->port(); }
    void stop();
    void refuse_new();
    void close_key(const std::string& key_id);
    // Whether every connection has ended within ten seconds.
    bool wait_until_empty();
    table_authenticator keys;

  private:
    // Runs `task` in the server's thread and waits for it.
    void in_server(std::function<gateway::awaitable<void>()> task);

    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    gateway::http::router router_;
    std::unique_ptr<gateway::http::server> server_;
    std::thread thread_;
    bool stopped_ = false;
};

// --- routes that tests share ---
gateway::http::route plain_route(std::string method, std::string pattern, gateway::http::scope needed,
                                 std::function<gateway::http::response(gateway::http::request&)> handle);
gateway::http::route socket_route(std::string pattern, gateway::http::scope needed,
                                  gateway::http::websocket_handler serve);
// Sends back every message until the peer goes.
gateway::awaitable<void> echo(const gateway::http::request& from, gateway::http::websocket& socket);

}  // namespace test_http
