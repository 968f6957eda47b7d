// Connected accounts in the words of the published clients. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/accounts/account.hpp"
#include "gateway/api/composio/connections.hpp"

namespace gateway::api::composio {

// "ac_github": there is one a toolkit.
std::string auth_config_id(const std::string& toolkit);
// An item of …/toolkits.
nlohmann::json shown_toolkit(const std::string& toolkit, const connection& of, bool enabled);
// The answer of GET /connected_accounts/{id}: of an account that is there.
nlohmann::json shown_account(const accounts::account& from);
// Of one that a link may still make, or might have made.
nlohmann::json shown_link(const accounts::pending_link& from, bool is_over);
// How it stands with a toolkit, in one sentence.
std::string connection_message(const connection& of);

}  // namespace gateway::api::composio
