// The addresses of a host, asked for once. io thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <functional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace gateway::outbound {

using addresses = std::vector<asio::ip::address>;

// The addresses of a name.
using resolver = std::function<awaitable<result<addresses>>(std::string name)>;

// The address itself of a host that is one; else what `names` says, or the system where that is empty. `what` stands
// for the host in errors: unavailable, timeout.
awaitable<result<addresses>> look_up(executor ex, const resolver& names, std::string host, milliseconds limit,
                                     std::string what);

}  // namespace gateway::outbound
