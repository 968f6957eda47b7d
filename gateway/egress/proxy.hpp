// The way out of one session: an HTTP proxy that answers CONNECT, for TLS, and http:// URIs. What may be reached is the
// policy's; every byte and refusal is counted, over all the kernels that the session has one after the other. Owned by
// the session, and joined by stop(); io thread.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>

#include "gateway/egress/meter.hpp"
#include "gateway/egress/options.hpp"
#include "gateway/egress/policy.hpp"

namespace gateway::egress {

using acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

class proxy {
  public:
    proxy(executor ex, policy what, options how, meter_events tell);
    ~proxy();

    // Accepts from a listener in the session's network until the next call, or stop(). Connections that there are from
    // the one before go on.
    void serve(acceptor from);
    // Nobody is left who could connect.
    void close_listener();
    // Ends every connection, and returns when all are gone.
    awaitable<void> stop();

    // Counts at once: open connections that are no longer allowed end.
    void set_policy(policy what);
    const policy& current_policy() const;
    const meter& counted() const;
    std::size_t connections() const;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::egress
