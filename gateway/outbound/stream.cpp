#include "gateway/outbound/stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>

namespace gateway::outbound {

awaitable<error_code> stream::handshake(asio::ssl::context& context, std::string host) {
    tls_.emplace(socket_, context);
    error_code not_an_address;
    asio::ip::make_address(host, not_an_address);
    // SNI carries names only (RFC 6066, section 3).
    if (not_an_address && SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str()) != 1)
        co_return asio::error::invalid_argument;
    error_code failed;
    tls_->set_verify_callback(asio::ssl::host_name_verification(host), failed);
    if (failed) co_return failed;
    auto [ec] = co_await tls_->async_handshake(asio::ssl::stream_base::client, asio::as_tuple(asio::use_awaitable));
    co_return ec;
}

}  // namespace gateway::outbound
