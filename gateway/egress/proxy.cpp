#include "gateway/egress/proxy.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <cerrno>

#include "gateway/base/log.hpp"
#include "gateway/egress/connection.hpp"

namespace gateway::egress {
namespace {

constexpr milliseconds accept_pause{100};
// So many over max_connections still get an answer that names the limit; those beyond are just closed.
constexpr std::size_t refused_connections = 16;

}  // namespace

result<unix_acceptor> listen_at(executor ex, const std::string& path) {
    unix_acceptor made(ex);
    error_code ec;
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return failure{errc::io_error,
                       fmt::format("the socket path {} is longer than {} bytes: choose a shorter directory", path,
                                   sizeof(sockaddr_un::sun_path) - 1)};
    made.open(asio::local::stream_protocol(), ec);
    (void)::unlink(path.c_str());  // a gateway that was killed leaves its socket behind
    if (!ec) made.bind(asio::local::stream_protocol::endpoint(path), ec);
    if (!ec && ::chmod(path.c_str(), 0666) != 0) ec.assign(errno, boost::system::system_category());
    if (!ec) made.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return failure{errc::io_error, fmt::format("cannot listen on {}: {}", path, ec.message())};
    return made;
}

struct proxy::implementation {
    implementation(executor ex, unix_acceptor from, policy what, options how, meter_events tell)
        : shared(std::make_shared<shared_state>(std::move(ex), std::move(what), std::move(how), std::move(tell))),
          acceptor(std::move(from)) {}

    void take(socket client);

    std::shared_ptr<shared_state> shared;
    unix_acceptor acceptor;
    bool stopping = false;
};

void proxy::implementation::take(socket client) {
    auto open = shared->connections.size();
    if (open >= shared->how.max_connections + refused_connections) return;
    auto made = std::make_shared<connection>(shared, std::move(client), open >= shared->how.max_connections);
    shared->tasks.spawn("egress", connection::run(std::move(made)));
}

proxy::proxy(executor ex, unix_acceptor from, policy what, options how, meter_events tell)
    : implementation_(std::make_unique<implementation>(std::move(ex), std::move(from), std::move(what), std::move(how),
                                                       std::move(tell))) {}

proxy::~proxy() = default;

awaitable<void> proxy::run() {
    auto& self = *implementation_;
    while (!self.stopping) {
        auto [ec, client] = co_await self.acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (self.stopping || ec == asio::error::operation_aborted) break;
        if (!ec) {
            self.take(std::move(client));
        } else if (ec != asio::error::connection_aborted) {
            // Out of descriptors, most likely: the connection stays in the backlog until one is free.
            log::warning("egress: cannot accept a connection: {}", ec.message());
            bool go_on = co_await sleep_for(accept_pause);
            if (!go_on) break;
        }
    }
}

awaitable<void> proxy::stop() {
    auto& self = *implementation_;
    self.stopping = true;
    error_code ignored;
    self.acceptor.close(ignored);
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
