// The way out of one session: an HTTP proxy on a Unix socket that answers CONNECT, for TLS, and http:// URIs. What may
// be reached is the policy's; every byte and refusal is counted. Owned by whoever has the session, and joined by
// stop(); io thread.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "gateway/egress/meter.hpp"
#include "gateway/egress/options.hpp"
#include "gateway/egress/policy.hpp"

namespace gateway::egress {

using unix_acceptor = asio::local::stream_protocol::acceptor;

// Listens at `path`, where everyone may connect who can enter its directory; a file that is there is replaced.
result<unix_acceptor> listen_at(executor ex, const std::string& path);

class proxy {
  public:
    // `from` listens already.
    proxy(executor ex, unix_acceptor from, policy what, options how, meter_events tell);
    ~proxy();

    // Accepts until stop(); its owner joins it before the proxy goes.
    awaitable<void> run();
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
