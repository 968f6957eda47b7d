// A connected account: where a user's calls of a toolkit go, and how they are authenticated. Without its secret, which
// only the store opens. A value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::accounts {

enum class auth_scheme : std::uint8_t { api_key, basic, bearer };
enum class key_place : std::uint8_t { header, query };
enum class account_status : std::uint8_t { active, disabled };

const char* to_string(auth_scheme which);  // as on the wire: "api_key"
const char* to_string(key_place which);
const char* to_string(account_status which);
std::optional<auth_scheme> find_scheme(std::string_view name);
std::optional<key_place> find_place(std::string_view name);
std::optional<account_status> find_status(std::string_view name);

struct account {
    std::string id;  // "ca_…"
    std::string user_id = "default";
    std::string toolkit;             // lower case
    std::string alias;               // empty: none
    std::string base_url;            // without a slash at its end: endpoints are relative to it
    std::vector<std::string> hosts;  // origins that may be called besides the base URL's own: "https://up.example.com"
    auth_scheme scheme = auth_scheme::bearer;
    key_place place = key_place::header;  // of an api_key
    std::string parameter;                // its header's or query parameter's name
    std::string prefix;                   // what stands before it in the header: "Token "
    std::string username;                 // of basic
    account_status status = account_status::active;
    std::string created_at;  // ISO 8601

    bool operator==(const account&) const = default;
};

struct account_rules {
    bool plain_http = false;  // base URLs may be http://
};

// The account with its parts written in one way (a bare host becomes an origin); invalid_request says what to change.
result<account> checked(account given, const account_rules& rules);
// The same for a service: what its accounts have in common, without user and user name.
result<account> checked_service(account given, const account_rules& rules);
result<void> check_alias(const std::string& alias);
// What can be sent as it is: 8 to 8,192 visible characters, of a password 1 to 8,192.
result<void> check_secret(const account& of, const std::string& secret);

// "https://api.example.com": the base URL's, then the others'.
std::vector<std::string> origins(const account& of);

}  // namespace gateway::accounts
