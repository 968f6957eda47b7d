// Which of a user's accounts a call is for. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/accounts/account.hpp"

namespace gateway::accounts {

// For whom a call is made, and what its session allows.
struct account_scope {
    std::string user_id;
    // Toolkits for which the session pins accounts, by id: only these are used, the first unless the call names one.
    // Without any, none is.
    std::map<std::string, std::vector<std::string>> pinned;
};

// Those of the user for the toolkit that the session lets in, in the order in which it pins them; disabled ones too.
std::vector<account> candidates(const std::vector<account>& all, const account_scope& whose,
                                const std::string& toolkit);

// `wanted`: an id or an alias; empty: the pinned one, else the only one there is. no_account when there is none for the
// toolkit; account_not_found when the wanted one is not among them; invalid_request names the several there are.
result<account> choose(const std::vector<account>& all, const account_scope& whose, const std::string& toolkit,
                       const std::string& wanted);

}  // namespace gateway::accounts
