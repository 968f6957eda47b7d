// An HTTP server on a loopback port whose answers a test writes by hand, byte for byte. It lives in the test's
// io_context.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace test_support {

namespace asio = boost::asio;

// One connection with the request that came over it. A script sends what it likes; the connection closes when it
// returns.
struct exchange {
    asio::ip::tcp::socket socket;
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls;
    std::string head;
    std::string body;

    std::string header(const std::string& name) const {
        auto at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return "";
        at += name.size() + 4;
        return head.substr(at, head.find("\r\n", at) - at);
    }
    std::string method() const { return head.substr(0, head.find(' ')); }

    gateway::awaitable<void> send(std::string bytes) {
        auto token = asio::as_tuple(asio::use_awaitable);
        if (tls) (void)co_await asio::async_write(*tls, asio::buffer(bytes), token);
        if (!tls) (void)co_await asio::async_write(socket, asio::buffer(bytes), token);
    }
    gateway::awaitable<void> answer(std::string status, std::string type, std::string text, std::string more = "") {
        co_await send("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + more +
                      "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
    }
    // Until the peer closes.
    gateway::awaitable<void> wait_for_close() {
        char byte = 0;
        (void)co_await socket.async_read_some(asio::buffer(&byte, 1), asio::as_tuple(asio::use_awaitable));
    }
};

class scripted_server {
  public:
    using script = std::function<gateway::awaitable<void>(exchange&)>;

    // `tls` outlives the server; null for plain HTTP.
    scripted_server(gateway::executor ex, script what, asio::ssl::context* tls = nullptr)
        : script_(std::move(what)),
          tls_(tls),
          acceptor_(ex, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
          tasks_(ex) {
        tasks_.spawn("accept", accept());
    }

    std::string url(const std::string& path = "/mcp") const {
        return (tls_ ? "https" : "http") + ("://127.0.0.1:" + std::to_string(port())) + path;
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    const std::vector<std::string>& requests() const { return requests_; }  // heads, in order
    void replace(script what) { script_ = std::move(what); }
    gateway::awaitable<void> stop() {
        tasks_.cancel();
        co_await tasks_.join();
    }

  private:
    gateway::awaitable<void> accept() {
        while (true) {
            auto [ec, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
            if (ec) co_return;
            auto made = std::make_shared<exchange>(exchange{std::move(socket), {}, {}, {}});
            tasks_.spawn("exchange", serve(made));
        }
    }

    gateway::awaitable<void> serve(std::shared_ptr<exchange> on) {
        auto token = asio::as_tuple(asio::use_awaitable);
        if (tls_) {
            on->tls.emplace(on->socket, *tls_);
            auto [failed] = co_await on->tls->async_handshake(asio::ssl::stream_base::server, token);
            if (failed) co_return;
        }
        if (!co_await read(*on)) co_return;
        requests_.push_back(on->head);
        co_await script_(*on);
    }

    gateway::awaitable<std::tuple<boost::system::error_code, std::size_t>> read_some(exchange& on,
                                                                                     asio::mutable_buffer into) {
        auto token = asio::as_tuple(asio::use_awaitable);
        if (on.tls) co_return co_await on.tls->async_read_some(into, token);
        co_return co_await on.socket.async_read_some(into, token);
    }

    gateway::awaitable<bool> read(exchange& on) {
        char bytes[4096];
        while (on.head.find("\r\n\r\n") == std::string::npos) {
            auto [ec, count] = co_await read_some(on, asio::buffer(bytes));
            if (ec) co_return false;
            on.head.append(bytes, count);
        }
        auto end = on.head.find("\r\n\r\n") + 4;
        on.body = on.head.substr(end);
        on.head.resize(end);
        auto length = std::strtoul(on.header("Content-Length").c_str(), nullptr, 10);
        while (on.body.size() < length) {
            auto [ec, count] = co_await read_some(on, asio::buffer(bytes));
            if (ec) co_return false;
            on.body.append(bytes, count);
        }
        co_return true;
    }

    script script_;
    asio::ssl::context* tls_;
    asio::ip::tcp::acceptor acceptor_;
    std::vector<std::string> requests_;
    gateway::task_group tasks_;
};

}  // namespace test_support
