// cellgate-echo: a WebSocket echo over gateway/http and nothing else, for WebSocket conformance cases and as the floor
// of the benchmark. Prints "listening on http://127.0.0.1:PORT/"; ends at SIGINT or SIGTERM.
//
// usage: cellgate-echo [PORT]
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>
#include <iostream>

#include "gateway/http/key_authenticator.hpp"
#include "gateway/http/server.hpp"

namespace {

using namespace gateway;

awaitable<result<std::string>> accept_any(const http::request&, const std::vector<std::string>&) {
    co_return std::string();
}

awaitable<void> echo(const http::request&, http::websocket& socket) {
    while (true) {
        auto message = co_await socket.read();
        if (!message) co_return;
        std::vector<asio::const_buffer> parts = {asio::buffer(message->bytes)};
        auto written = co_await socket.write(message->binary, std::move(parts));
        if (!written) co_return;
    }
}

http::route echo_route(std::string pattern) {
    http::route made;
    made.method = "WS";
    made.pattern = std::move(pattern);
    made.needed = http::scope::none;
    made.upgrade.accept = accept_any;
    made.upgrade.serve = echo;
    return made;
}

}  // namespace

int main(int argc, char** argv) {
    asio::io_context io(1);
    http::router routes;
    routes.add(echo_route("/"));
    routes.add(echo_route("/echo"));
    http::open_authenticator everyone;
    http::server_options options;
    options.port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
    http::server server(io.get_executor(), options, routes, everyone);
    if (auto listening = server.listen(); !listening) {
        std::cerr << "cellgate-echo: " << listening.error().message << '\n';
        return 1;
    }
    std::cout << "listening on http://127.0.0.1:" << server.port() << '/' << std::endl;
    asio::signal_set signals(io, SIGINT, SIGTERM);
    auto stop = [&]() -> awaitable<void> { co_await server.stop(); };
    signals.async_wait([&](boost::system::error_code, int) { asio::co_spawn(io, stop(), [](std::exception_ptr) {}); });
    asio::co_spawn(io, server.run(), [](std::exception_ptr) {});
    io.run();
}
