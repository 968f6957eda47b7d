#include "gateway/http/tls.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace gateway::http {
namespace {

namespace ssl = boost::asio::ssl;

failure wrong_file(const char* setting, const std::string& path, const boost::system::error_code& ec) {
    return failure{errc::invalid_request,
                   fmt::format("server.{} = \"{}\" cannot be used: {}", setting, path, ec.message())};
}

result<void> load_files(ssl::context& into, const server_options& options) {
    boost::system::error_code ec;
    into.use_certificate_chain_file(options.tls_certificate, ec);
    if (ec) return wrong_file("tls_certificate", options.tls_certificate, ec);
    auto key = options.tls_key.empty() ? options.tls_certificate : options.tls_key;  // one PEM may hold both
    into.use_private_key_file(key, ssl::context::pem, ec);
    if (ec) return wrong_file("tls_key", key, ec);
    if (options.tls_client_ca.empty()) return {};
    into.load_verify_file(options.tls_client_ca, ec);
    if (ec) return wrong_file("tls_client_ca", options.tls_client_ca, ec);
    into.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    return {};
}

}  // namespace

result<std::unique_ptr<ssl::context>> make_tls_context(const server_options& options) {
    if (options.tls_certificate.empty()) {
        if (options.tls_key.empty() && options.tls_client_ca.empty()) return std::unique_ptr<ssl::context>();
        return failure{errc::invalid_request, "server.tls_key and server.tls_client_ca need server.tls_certificate"};
    }
    auto made = std::make_unique<ssl::context>(ssl::context::tls_server);
    ::SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION);
    // Resumption would need a session id context as soon as client certificates are asked for; tickets are enough.
    ::SSL_CTX_set_session_cache_mode(made->native_handle(), SSL_SESS_CACHE_OFF);
    if (!options.tls_client_ca.empty()) ::SSL_CTX_set_options(made->native_handle(), SSL_OP_NO_TICKET);
    if (auto loaded = load_files(*made, options); !loaded) return loaded.error();
    return made;
}

}  // namespace gateway::http
