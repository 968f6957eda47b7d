// Accounts as tests write them.
#pragma once

#include <string>
#include <utility>

#include "gateway/accounts/account.hpp"

namespace gateway::accounts {

inline account bearer_account(std::string toolkit = "github", std::string user = "ada", std::string alias = "") {
    account made;
    made.user_id = std::move(user);
    made.toolkit = std::move(toolkit);
    made.alias = std::move(alias);
    made.base_url = "https://api.example.com/v1";
    return made;
}

inline account key_account(key_place place, std::string parameter) {
    auto made = bearer_account();
    made.scheme = auth_scheme::api_key;
    made.place = place;
    made.parameter = std::move(parameter);
    return made;
}

inline account basic_account() {
    auto made = bearer_account();
    made.scheme = auth_scheme::basic;
    made.username = "ada";
    return made;
}

}  // namespace gateway::accounts
