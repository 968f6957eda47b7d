#include "gateway/http/stream.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>

namespace gateway::http {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

void set_option(int fd, int level, int name, int value) { (void)::setsockopt(fd, level, name, &value, sizeof value); }

constexpr int longest_idle_s = 32'767;  // that TCP_KEEPIDLE takes
constexpr int probes = 4;

// A peer that vanished without a FIN, on a connection that nobody writes to, is noticed after 60 + 4 * 15 s, unless
// set_peer_timeout() says otherwise.
void set_options(int fd) {
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);  // Nagle and delayed ACK together cost 40 ms a cell
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

}  // namespace

stream::stream(asio::ip::tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
    set_options(socket_.native_handle());
    if (tls) tls_ = std::make_unique<asio::ssl::stream<asio::ip::tcp::socket&>>(socket_, *tls);
}

void stream::set_peer_timeout(milliseconds limit) {
    auto fd = socket_.native_handle();
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(limit.count()));
    if (limit.count() == 0) return;
    auto idle = static_cast<int>(std::clamp<long long>(limit.count() / 1000, 1, longest_idle_s));
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, idle / probes));
}

awaitable<error_code> stream::handshake() {
    if (!tls_) co_return error_code();
    auto [ec] = co_await tls_->async_handshake(asio::ssl::stream_base::server, tuple_awaitable);
    co_return ec;
}

void stream::abort() {
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
}

void stream::shutdown_send() {
    error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

awaitable<void> stream::close() {
    if (tls_) (void)co_await tls_->async_shutdown(tuple_awaitable);
    shutdown_send();
    std::array<char, 16384> ignored;
    while (socket_.is_open()) {
        auto [ec, count] = co_await socket_.async_read_some(asio::buffer(ignored), tuple_awaitable);
        if (ec || count == 0) break;
    }
    error_code unused;
    socket_.close(unused);
}

}  // namespace gateway::http
