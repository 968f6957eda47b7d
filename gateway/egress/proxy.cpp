#include "gateway/egress/proxy.hpp"

#include <boost/asio/as_tuple.hpp>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/egress/connection.hpp"

namespace gateway::egress {
namespace {

constexpr milliseconds accept_pause{100};
// So many over max_connections still get an answer that names the limit; those beyond are just closed.
constexpr std::size_t refused_connections = 16;

struct listener {
    acceptor from;
    bool closed = false;

    void close() {
        closed = true;
        error_code ignored;
        from.close(ignored);
    }
};

void take(const std::shared_ptr<shared_state>& shared, socket client) {
    const auto open = shared->connections.size();
    if (open >= shared->how.max_connections + refused_connections) return;
    auto made = std::make_shared<connection>(shared, std::move(client), open >= shared->how.max_connections);
    shared->tasks.spawn("egress", connection::run(std::move(made)));
}

awaitable<void> accept(std::shared_ptr<shared_state> shared, std::shared_ptr<listener> at) {
    while (!at->closed) {
        auto [ec, client] = co_await at->from.async_accept(asio::as_tuple(asio::use_awaitable));
        if (at->closed || ec == asio::error::operation_aborted) break;
        if (!ec) {
            take(shared, std::move(client));
        } else if (ec != asio::error::connection_aborted) {
            // Out of descriptors, most likely: the connection stays in the backlog until one is free.
            log::warning("egress: cannot accept a connection: {}", ec.message());
            const bool go_on = co_await sleep_for(accept_pause);
            if (!go_on) break;
        }
    }
}

}  // namespace

struct proxy::implementation {
    std::shared_ptr<shared_state> shared;
    std::shared_ptr<listener> at = nullptr;  // null: there is none now
};

proxy::proxy(executor ex, policy what, options how, meter_events tell)
    : implementation_(std::make_unique<implementation>(implementation{
          std::make_shared<shared_state>(std::move(ex), std::move(what), std::move(how), std::move(tell))})) {}

proxy::~proxy() = default;

void proxy::serve(acceptor from) {
    auto& self = *implementation_;
    close_listener();
    self.at = std::make_shared<listener>(listener{std::move(from)});
    self.shared->tasks.spawn("egress listener", accept(self.shared, self.at));
}

void proxy::close_listener() {
    if (auto gone = std::exchange(implementation_->at, nullptr)) gone->close();
}

awaitable<void> proxy::stop() {
    auto& self = *implementation_;
    close_listener();
    self.shared->for_each([](connection& each) { each.close(); });
    self.shared->tasks.cancel();
    co_await self.shared->tasks.join();
}

void proxy::set_policy(policy what) {
    auto& shared = *implementation_->shared;
    shared.what = std::move(what);
    shared.for_each([](connection& each) { each.judge_again(); });
    shared.counted.set_ceiling(shared.what.max_bytes);
}

const policy& proxy::current_policy() const { return implementation_->shared->what; }

const meter& proxy::counted() const { return implementation_->shared->counted; }

std::size_t proxy::connections() const { return implementation_->shared->connections.size(); }

}  // namespace gateway::egress
