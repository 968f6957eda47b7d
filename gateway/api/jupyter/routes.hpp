// The Jupyter side of the gateway: what jupyter_server's gateway client, JupyterLab's services and scripts call.
// add_jupyter_routes is called once by main; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/router.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/registry.hpp"
#include "gateway/tools/service_totals.hpp"

namespace gateway::api::jupyter {

struct jupyter_options {
    std::string base_url = "/";     // begins and ends with "/"; Location and resource links begin with it
    std::string force_kernel_name;  // started whatever name was asked for; empty: off
    bool listing = true;            // false: GET /api/kernels and /api/sessions are 403
    // Shell patterns of names that a client may set.
    std::vector<std::string> client_env = {"KERNEL_*", "JPY_SESSION_NAME"};
    bool binary_to_legacy_clients = false;  // send buffers also to Tornado clients without a subprotocol
    // Frames over 1 MiB are coded here instead of on the io thread; null: on the io thread. Outlives the routes.
    asio::thread_pool* pool = nullptr;
    const sessions::log_budget* log_budget = nullptr;  // for /metrics; null: the totals are left out
    std::vector<std::pair<std::string, const tools::service_totals*>>
        services;                                   // for /metrics; they outlive the routes
    std::function<std::size_t()> http_connections;  // for /metrics; empty: left out
};

// `registry` outlives the router.
void add_jupyter_routes(http::router& routes, sessions::registry& registry, jupyter_options options);

}  // namespace gateway::api::jupyter
