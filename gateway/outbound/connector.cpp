#include "gateway/outbound/connector.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/outbound/lookup.hpp"

namespace gateway::outbound {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);

asio::ssl::context make_tls(const std::string& ca_file) {
    asio::ssl::context made(asio::ssl::context::tls_client);
    made.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                     asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    made.set_default_verify_paths();
    error_code ec;
    if (!ca_file.empty()) made.load_verify_file(ca_file, ec);
    if (ec) log::error("the certificates in {} cannot be read: {}", ca_file, ec.message());
    made.set_verify_mode(asio::ssl::verify_peer);
    return made;
}

failure cannot(const char* what, const url& to, const error_code& ec) {
    return {errc::unavailable, std::string(what) + " " + to.origin() + ": " + ec.message()};
}

awaitable<result<std::unique_ptr<stream>>> open(executor ex, asio::ssl::context& tls, url to,
                                                asio::ip::tcp::endpoint where) {
    asio::ip::tcp::socket socket(ex);
    auto [refused] = co_await socket.async_connect(where, tuple_awaitable);
    if (refused) co_return cannot("cannot connect to", to, refused);
    error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    auto made = std::make_unique<stream>(std::move(socket));
    if (to.tls) {
        auto ec = co_await made->handshake(tls, to.host);
        if (ec) co_return cannot("no TLS connection to", to, ec);
    }
    co_return made;
}

}  // namespace

connector::connector(executor ex, client::options how)
    : ex_(std::move(ex)), how_(std::move(how)), tls_(make_tls(how_.ca_file)) {}

awaitable<result<std::unique_ptr<stream>>> connector::try_address(url to, asio::ip::tcp::endpoint where) {
    auto allowed = check(how_.reach, where.address());
    if (!allowed) co_return allowed.error();
    auto what = "connecting to " + to.origin();
    co_return co_await with_timeout(open(ex_, tls_, to, where), how_.connect_timeout, what);
}

awaitable<result<std::unique_ptr<stream>>> connector::connect(url to) {
    auto found = co_await look_up(ex_, how_.names, to.host, how_.connect_timeout, to.origin());
    if (!found) co_return found.error();
    result<std::unique_ptr<stream>> last = failure{errc::unavailable, "the host of " + to.origin() + " has no address"};
    for (const auto& each : *found) {
        last = co_await try_address(to, asio::ip::tcp::endpoint(each, to.port));
        if (last) break;
    }
    co_return last;
}

}  // namespace gateway::outbound
