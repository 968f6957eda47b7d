// The bodies of POST /api/v1/accounts and of PATCH …/{id}. Values; any thread.
#pragma once

#include <string>

#include "gateway/accounts/store.hpp"
#include "gateway/http/principal.hpp"

namespace gateway::api::agent {

struct new_account {
    accounts::account what;  // not checked: the store does
    std::string secret;
};

// invalid_request, unknown_field, too_large; forbidden for another user's.
result<new_account> parse_new_account(const std::string& body, const http::principal& caller);
result<accounts::account_change> parse_account_change(const std::string& body);

}  // namespace gateway::api::agent
