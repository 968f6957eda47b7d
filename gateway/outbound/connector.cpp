#include "gateway/outbound/connector.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/base/log.hpp"

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

using endpoints = std::vector<asio::ip::tcp::endpoint>;

// getaddrinfo cannot be cancelled: whoever waits leaves at the deadline, and the lookup ends when it ends.
struct lookup {
    explicit lookup(const executor& ex) : resolver(ex), done(ex) {}
    asio::ip::tcp::resolver resolver;
    event done;
    std::optional<error_code> ended;
    endpoints found;
};

std::shared_ptr<lookup> start_lookup(const executor& ex, const url& to) {
    auto state = std::make_shared<lookup>(ex);
    auto finished = [state](error_code ec, const asio::ip::tcp::resolver::results_type& results) {
        for (const auto& each : results) state->found.push_back(each.endpoint());
        state->ended = ec;
        state->done.notify_all();
    };
    state->resolver.async_resolve(to.host, std::to_string(to.port), std::move(finished));
    return state;
}

awaitable<result<endpoints>> ask(const resolver& names, url to, milliseconds limit) {
    auto found = co_await with_timeout(names(to.host), limit, "resolving the host of " + to.origin());
    if (!found) co_return found.error();
    endpoints made;
    for (const auto& each : *found) made.emplace_back(each, to.port);
    co_return made;
}

awaitable<result<endpoints>> resolve(executor ex, const resolver& names, url to, milliseconds limit) {
    error_code not_an_address;
    auto literal = asio::ip::make_address(to.host, not_an_address);
    if (!not_an_address) co_return endpoints(1, asio::ip::tcp::endpoint(literal, to.port));
    if (names) co_return co_await ask(names, to, limit);
    auto state = start_lookup(ex, to);
    co_await state->done.wait_for(limit);
    if (!state->ended) co_return failure{errc::timeout, "resolving the host of " + to.origin() + " took too long"};
    if (*state->ended) co_return cannot("cannot resolve the host of", to, *state->ended);
    co_return state->found;
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
    auto addresses = co_await resolve(ex_, how_.names, to, how_.connect_timeout);
    if (!addresses) co_return addresses.error();
    result<std::unique_ptr<stream>> last = failure{errc::unavailable, "the host of " + to.origin() + " has no address"};
    for (const auto& each : *addresses) {
        last = co_await try_address(to, each);
        if (last) break;
    }
    co_return last;
}

}  // namespace gateway::outbound
