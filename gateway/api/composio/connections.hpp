// What the user of a session has connected, and can connect, toolkit by toolkit: as calls of the session see it. io
// thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"

namespace gateway::api::composio {

struct connection {
    std::size_t tools = 0;                     // configured on the gateway: they need no account
    std::optional<accounts::account> account;  // the one that calls use, else the first there is
    bool can_connect = false;                  // by a link, and the session would see the account
    std::string trouble = {};                  // why calls find no account; with several, which there are

    bool has_active_account() const { return account && account->status == accounts::account_status::active; }
    bool is_ready() const { return tools > 0 || has_active_account(); }
};
using connections = std::map<std::string, connection>;  // by the toolkit's name

// Of `tools`, the user's accounts and the configured services. io_error.
result<connections> connections_of(context& with, const sessions::session& of, const configuration& settings,
                                   const std::vector<tool_description>& tools);
// Only of toolkits that the session lets in.
connections admitted(connections all, const configuration& settings);
// By the name in any spelling; end() when there is none.
connections::const_iterator find_connection(const connections& all, const std::string& name);

// A service that links connect accounts to; null when there is none of this name, or the session keeps it out.
const accounts::account* find_service(const context& with, const configuration& settings, const std::string& name);

// A link for the session's user. invalid_request when the request named no host, and the failures of
// pending_links::begin.
struct link_wish {
    std::string alias;
    std::string callback_url;  // empty: that of manage_connections
    bool is_anew = false;
};
result<accounts::pending_link> begin_link(context& with, const found_session& of, const accounts::account& service,
                                          link_wish what);

}  // namespace gateway::api::composio
