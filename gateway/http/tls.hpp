// The server's TLS context from the configured files. Made once by the server.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "gateway/base/result.hpp"
#include "gateway/http/server.hpp"

namespace gateway::http {

// Null without a certificate. TLS 1.2 or newer; with tls_client_ca only clients with a certificate signed by it.
// invalid_request names the file and the setting.
result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const server_options& options);

}  // namespace gateway::http
