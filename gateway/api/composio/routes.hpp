// The side of the gateway that the Composio SDKs and MCP clients speak to: sessions of the tool router under
// /api/v3.1 and /api/v3, and an MCP endpoint a session. docs/composio.md says what is there. Owned by main; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gateway/accounts/pending_links.hpp"
#include "gateway/accounts/proxy.hpp"
#include "gateway/files/links.hpp"
#include "gateway/http/router.hpp"
#include "gateway/sessions/registry.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::composio {

struct service_options {
    std::string base_url = "/";                      // begins and ends with "/"; links begin with it
    std::size_t text_limit_chars = 40'000;           // of a cell's result; what is longer goes to a file of the session
    std::uint64_t text_file_max_bytes = 1ull << 30;  // of that file
    std::size_t max_network_rules = 200;             // network.max_rules
    milliseconds keep_alive{5'000};                  // between the spaces of an answer that waits
    milliseconds head_wait{1'000};                   // a toolkit's tool that is refused within this is told by a status
    milliseconds progress{1'000};                    // between progress notifications of MCP
    milliseconds keep_outcome{60'000};               // of a call whose client has gone
    asio::thread_pool* pool = nullptr;               // reads and writes files; outlives the router
    std::shared_ptr<const files::links> links;       // to files; null: such as end with the process
    accounts::proxy* proxy = nullptr;                // outlives the service; null: no proxy_execute
    accounts::account_store* accounts = nullptr;     // likewise; null: nothing is connected
    accounts::link_rules connecting = {};            // what links may connect
};

// What a session's calls of connected accounts may do.
struct account_rights {
    bool from_cells = true;  // enable_proxy_execution: cells may call at all
    accounts::account_scope whose;
};

struct context;

class service {
  public:
    // Both outlive it, and it outlives the router.
    service(executor ex, sessions::registry& registry, tools::toolbox& tools, service_options options = {});
    ~service();

    // What clients configured outlives the gateway from here on, beside its sessions: after registry's start. io_error.
    result<void> keep_in(const std::string& data_dir);
    void add_routes(http::router& to);
    // As the newest version of its configuration says.
    account_rights rights_of(const sessions::session& which) const;
    tools::tool_filter filter_of(const std::string& session_id) const;
    // Nothing begins any more, and the calls that still run end: cells and commands have `patience` to say how their
    // sessions ended them. Clients are answered while the server still drains. May be called again.
    awaitable<void> stop(milliseconds patience = milliseconds(0));

  private:
    std::shared_ptr<context> context_;
};

}  // namespace gateway::api::composio
