// Where a call of an account goes, and where a redirect leads it: only ever to the account's own hosts. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/accounts/account.hpp"
#include "gateway/accounts/proxy_request.hpp"
#include "gateway/outbound/client.hpp"

namespace gateway::accounts {

struct hop {
    outbound::request what;   // without the secret
    bool with_secret = true;  // no longer, once a redirect has left the host that was called
};

// invalid_request; origin_mismatch when the endpoint is on another host; forbidden over http:// where the rules, which
// may have been others when the account was made, do not allow it.
result<hop> first_hop(const account& of, const proxy_request& asked, const account_rules& rules);
// What a redirect (`status`, its Location) makes of a hop; nothing when it is none. origin_mismatch when it leads to a
// host that is not the account's, forbidden as above: nothing is sent there.
result<std::optional<hop>> next_hop(const account& of, const hop& from, int status, std::string_view location,
                                    const account_rules& rules);

}  // namespace gateway::accounts
