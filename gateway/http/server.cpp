#include "gateway/http/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <chrono>
#include <optional>
#include <vector>

#include "gateway/base/log.hpp"
#include "gateway/http/connection.hpp"
#include "gateway/http/listener.hpp"
#include "gateway/http/shared_state.hpp"
#include "gateway/http/tls.hpp"

namespace gateway::http {
namespace {

using asio::ip::tcp;

constexpr milliseconds accept_pause{100};
// So many over max_connections still get an answer that names the limit; those beyond are just closed.
constexpr std::size_t refused_connections = 128;

// For what can happen a thousand times a second: a log is no place to fill a disk from.
class once_a_minute {
  public:
    bool may_say() {
        auto now = std::chrono::steady_clock::now();
        if (said_ && now - *said_ < std::chrono::minutes(1)) return false;
        said_ = now;
        return true;
    }

  private:
    std::optional<std::chrono::steady_clock::time_point> said_;
};

}  // namespace

struct server::implementation {
    implementation(executor ex, server_options options, const router& routes, authenticator& keys)
        : ex(ex),
          routes(routes),
          keys(keys),
          shared(std::make_shared<shared_state>(ex, std::move(options))),
          acceptor(ex),
          tasks(ex) {}

    void take(tcp::socket socket);
    void make_room();
    // Connections may end while they are visited.
    template <class Visit>
    void for_each_connection(Visit visit) {
        std::vector<std::weak_ptr<connection>> all;
        for (auto* each : shared->connections) all.push_back(each->weak_from_this());
        for (auto& each : all)
            if (auto alive = each.lock()) visit(*alive);
    }

    executor ex;
    const router& routes;
    authenticator& keys;
    std::shared_ptr<shared_state> shared;
    tcp::acceptor acceptor;
    once_a_minute full, refused;
    std::uint16_t port = 0;
    task_group tasks;
};

void server::implementation::take(tcp::socket socket) {
    if (shared->staying() >= shared->options.max_connections) make_room();
    if (shared->connections.size() >= shared->options.max_connections + refused_connections) return;
    auto remote = describe_peer(socket);
    auto made = std::make_shared<connection>(shared, std::move(socket), std::move(remote));
    tasks.spawn("connection", connection::run(std::move(made)));
}

void server::implementation::make_room() {
    if (shared->waiting.empty()) return;
    if (full.may_say())
        log::warning(
            "{} connections are open, as many as server.max_connections allows: those that wait longest for a "
            "request make room",
            shared->options.max_connections);
    shared->waiting.front()->make_room();
}

server::server(executor ex, server_options options, const router& routes, authenticator& keys)
    : implementation_(std::make_unique<implementation>(std::move(ex), std::move(options), routes, keys)) {}

server::~server() = default;

result<void> server::listen() {
    auto& self = *implementation_;
    const auto& options = self.shared->options;
    auto gate = admission::make(options, self.routes, self.keys);
    if (!gate) return gate.error();
    auto tls = make_tls_context(options);
    if (!tls) return tls.error();
    auto opened = options.unix_socket.empty() ? open_listener(self.ex, options.host, options.port)
                                              : open_unix_listener(self.ex, options.unix_socket);
    if (!opened) return opened.error();
    self.shared->gate.emplace(std::move(*gate));
    self.shared->tls = std::move(*tls);
    self.acceptor = std::move(*opened);
    self.port = options.unix_socket.empty() ? self.acceptor.local_endpoint().port() : std::uint16_t(0);
    return {};
}

std::uint16_t server::port() const { return implementation_->port; }

awaitable<void> server::run() {
    auto& self = *implementation_;
    while (!self.shared->stopping) {
        auto [ec, socket] = co_await self.acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (self.shared->stopping || ec == asio::error::operation_aborted) break;
        if (!ec) {
            self.take(std::move(socket));
        } else if (ec != asio::error::connection_aborted) {
            // Out of descriptors, most likely: the connection stays in the backlog until one is free.
            if (self.refused.may_say()) log::warning("cannot accept a connection: {}", ec.message());
            if (!co_await sleep_for(accept_pause)) break;
        }
    }
}

void server::refuse_new() {
    auto& self = *implementation_;
    self.shared->stopping = true;
    boost::system::error_code ignored;
    self.acceptor.close(ignored);
    self.for_each_connection([](connection& each) { each.end_if_idle(); });
}

awaitable<void> server::drain(milliseconds limit) {
    auto& self = *implementation_;
    auto until = std::chrono::steady_clock::now() + limit;
    while (!self.shared->connections.empty()) {
        auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) break;
        co_await self.shared->one_left.wait_for(left);
    }
}

awaitable<void> server::stop(milliseconds limit) {
    auto& self = *implementation_;
    refuse_new();
    self.for_each_connection([](connection& each) { each.begin_close(); });
    co_await drain(limit);
    self.for_each_connection([](connection& each) { each.end(); });
    self.tasks.cancel();
    co_await self.tasks.join();
}

void server::close_key(const std::string& key_id) {
    if (key_id.empty()) return;
    implementation_->for_each_connection([&](connection& each) { each.close_key(key_id); });
}

std::size_t server::connections() const { return implementation_->shared->connections.size(); }

}  // namespace gateway::http
