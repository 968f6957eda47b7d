// [network] of the configuration, as sessions and the pool take it. Pure; called once by the server.
#pragma once

#include <vector>

#include "gateway/config/config.hpp"
#include "gateway/kernels/pool.hpp"
#include "gateway/sessions/network_rules.hpp"

namespace gateway::server {

// Without resolvers. invalid_request names the entry of network.allow that is none.
result<sessions::network_rules> to_network_rules(const config::config& from);

// kernels.pool and kernels.jupyter_pool.
std::vector<kernels::pool_size> to_pool_sizes(const config::config& from);

}  // namespace gateway::server
