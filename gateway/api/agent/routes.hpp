// The agent side of the gateway: REST under /api/v1 and a JSON-RPC WebSocket a session. docs/api.md is its contract.
// add_agent_routes is called once by main; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gateway/accounts/store.hpp"
#include "gateway/files/links.hpp"
#include "gateway/http/router.hpp"
#include "gateway/http/session_keys.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::agent {

struct agent_options {
    std::size_t text_limit_chars = 40'000;           // of a cell's result; what is longer goes to a file of the session
    std::uint64_t text_file_max_bytes = 1ull << 30;  // of that file
    milliseconds keep_alive{5'000};                  // between the spaces of an execute answer that waits
    std::string base_url = "/";                      // begins and ends with "/"; Location begins with it
    asio::thread_pool* pool = nullptr;    // takes large requests apart, reads and writes files; outlives the router
    std::size_t max_network_rules = 200;  // network.max_rules
    std::shared_ptr<const files::links> links;               // to files; null: such as end with the process
    accounts::account_store* accounts = nullptr;             // outlives the router; null: no routes for them
    std::shared_ptr<const http::session_keys> session_keys;  // for local sandboxes; null: such as end with the process
};

// `registry` outlives the router.
void add_agent_routes(http::router& routes, sessions::registry& registry, agent_options options = {});

}  // namespace gateway::api::agent
