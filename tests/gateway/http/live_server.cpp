#include "tests/gateway/http/live_server.hpp"

#include <future>
#include <stdexcept>

#include "gateway/http/router.hpp"

namespace test_http {

namespace http = gateway::http;
namespace asio = boost::asio;

std::optional<http::principal> table_authenticator::find(const std::optional<std::string>& key) {
    http::principal found;
    found.allowed = http::scope::admin;
    if (open) return found;
    static const std::map<std::string, http::scope> scopes = {
        {"exec", http::scope::execute}, {"sess", http::scope::session}, {"root", http::scope::admin}};
    auto at = key ? scopes.find(*key) : scopes.end();
    if (at == scopes.end()) return std::nullopt;
    found.allowed = at->second;
    found.user_id = at->first == "root" ? "default" : "ada";
    found.key_id = "key_" + at->first;
    return found;
}

void notice::tell() {
    std::lock_guard lock(mutex_);
    told_ = true;
    changed_.notify_all();
}

bool notice::wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return told_; });
}

live_server::live_server(add_routes routes, http::server_options options) : work_(io_.get_executor()) {
    routes(router_, io_.get_executor());
    options.port = 0;
    server_ = std::make_unique<http::server>(io_.get_executor(), options, router_, keys);
    if (auto listening = server_->listen(); !listening) throw std::runtime_error(listening.error().message);
    asio::co_spawn(io_, server_->run(), [](std::exception_ptr) {});
    thread_ = std::thread([this] { io_.run(); });
}

live_server::~live_server() {
    stop();
    work_.reset();
    thread_.join();
}

void live_server::in_server(std::function<gateway::awaitable<void>()> task) {
    std::promise<void> done;
    asio::co_spawn(io_, std::move(task), [&](std::exception_ptr thrown) {
        if (thrown) done.set_exception(thrown);
        if (!thrown) done.set_value();
    });
    done.get_future().get();
}

void live_server::stop() {
    if (std::exchange(stopped_, true)) return;
    in_server([this]() -> gateway::awaitable<void> { co_await server_->stop(); });
}

void live_server::refuse_new() {
    in_server([this]() -> gateway::awaitable<void> {
        server_->refuse_new();
        co_return;
    });
}

void live_server::close_key(const std::string& key_id) {
    in_server([this, key_id]() -> gateway::awaitable<void> {
        server_->close_key(key_id);
        co_return;
    });
}

bool live_server::wait_until_empty() {
    bool empty = false;
    in_server([&]() -> gateway::awaitable<void> {
        gateway::event never(io_.get_executor());
        for (int i = 0; i < 1000 && server_->connections() > 0; ++i) co_await never.wait_for(gateway::milliseconds(10));
        empty = server_->connections() == 0;
    });
    return empty;
}

http::route plain_route(std::string method, std::string pattern, http::scope needed,
                        std::function<http::response(http::request&)> handle) {
    http::route made;
    made.method = std::move(method);
    made.pattern = std::move(pattern);
    made.needed = needed;
    made.handle = [handle = std::move(handle)](http::request& what) -> gateway::awaitable<http::response> {
        co_return handle(what);
    };
    return made;
}

http::route socket_route(std::string pattern, http::scope needed, http::websocket_handler serve) {
    http::route made;
    made.method = "WS";
    made.pattern = std::move(pattern);
    made.needed = needed;
    made.upgrade.accept =
        [](const http::request&,
           const std::vector<std::string>& offered) -> gateway::awaitable<gateway::result<std::string>> {
        for (const auto& each : offered)
            if (each == "v1.kernel.websocket.jupyter.org") co_return each;
        co_return std::string();
    };
    made.upgrade.serve = std::move(serve);
    return made;
}

gateway::awaitable<void> echo(const http::request&, http::websocket& socket) {
    while (true) {
        auto message = co_await socket.read();
        if (!message) co_return;
        std::vector<asio::const_buffer> parts = {asio::buffer(message->bytes)};
        auto written = co_await socket.write(message->binary, std::move(parts));
        if (!written) co_return;
    }
}

}  // namespace test_http
