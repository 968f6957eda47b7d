// From a URL to a connected stream: name, address policy, TCP, TLS. Owned by the client; io thread.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "gateway/outbound/client.hpp"
#include "gateway/outbound/stream.hpp"

namespace gateway::outbound {

class connector {
  public:
    connector(executor ex, client::options how);

    // Tries the host's addresses in order. The same failures as client::send.
    awaitable<result<std::unique_ptr<stream>>> connect(url to);

  private:
    awaitable<result<std::unique_ptr<stream>>> try_address(url to, asio::ip::tcp::endpoint where);

    executor ex_;
    client::options how_;
    asio::ssl::context tls_;
};

}  // namespace gateway::outbound
