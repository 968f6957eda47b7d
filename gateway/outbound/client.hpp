// HTTP/1.1 to other servers: one connection a request, no redirects followed, certificates verified, and the answer's
// body as a stream. io thread. Beast stays in the .cpp files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/outbound/address_policy.hpp"
#include "gateway/outbound/headers.hpp"
#include "gateway/outbound/lookup.hpp"
#include "gateway/outbound/url.hpp"

namespace gateway::outbound {

// Host, Content-Length and Connection are added, and User-Agent where there is none.
struct request {
    std::string method = "GET";
    url to;
    headers fields;
    std::string body;
};

// An answer whose head has come. Its owner reads it; destroying it closes the connection.
class response {
  public:
    virtual ~response() = default;
    virtual int status() const = 0;
    virtual const headers& fields() const = 0;
    // The next piece of the body as it arrives; nothing at its end. peer_gone when it breaks off.
    virtual awaitable<result<std::optional<std::string>>> read_some() = 0;
};

// The whole body; too_large past `max_bytes`.
awaitable<result<std::string>> read_all(response& from, std::size_t max_bytes);

class client {
  public:
    struct options {
        address_policy reach;
        milliseconds connect_timeout{10'000};  // name, TCP and TLS, for each address that is tried
        std::size_t max_header_bytes = 64u << 10;
        std::string ca_file;  // besides the system's certificates; PEM
        resolver names;       // none: the system's
    };

    client(executor ex, options how);
    ~client();

    // Returns when the answer's head is there. The caller bounds it (with_timeout), and read_some() too.
    // Nothing was sent: invalid_request, forbidden (address policy), unavailable and timeout (connecting).
    // The server may have acted: peer_gone (it broke off).
    awaitable<result<std::unique_ptr<response>>> send(request what);

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::outbound
