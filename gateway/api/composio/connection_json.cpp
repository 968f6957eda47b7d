#include "gateway/api/composio/connection_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/api/composio/json_reading.hpp"

namespace gateway::api::composio {
namespace {

const char* scheme_of(const accounts::account& from) {
    switch (from.scheme) {
        case accounts::auth_scheme::api_key:
            return "API_KEY";
        case accounts::auth_scheme::basic:
            return "BASIC";
        case accounts::auth_scheme::bearer:
            break;
    }
    return "BEARER_TOKEN";
}

bool is_active(const accounts::account& from) { return from.status == accounts::account_status::active; }

const char* status_of(const accounts::account& from) { return is_active(from) ? "ACTIVE" : "INACTIVE"; }

json auth_config_of(const accounts::account& from) {
    return {{"id", auth_config_id(from.toolkit)}, {"auth_scheme", scheme_of(from)}, {"is_composio_managed", false}};
}

json listed_account(const accounts::account& from) {
    return {{"id", from.id},
            {"status", status_of(from)},
            {"user_id", from.user_id},
            {"created_at", from.created_at},
            {"auth_config", auth_config_of(from)}};
}

std::string description_of(const connection& from) {
    if (from.tools > 0) return fmt::format("{} tools", from.tools);
    return "no tools; proxy_execute calls it with a connected account";
}

// What clients expect besides: no credential is ever told.
json described(const accounts::account& from, const char* status, const json& reason) {
    auto config = auth_config_of(from);
    config["is_disabled"] = false;
    return {{"id", from.id},
            {"user_id", from.user_id},
            {"alias", from.alias.empty() ? json(nullptr) : json(from.alias)},
            {"toolkit", {{"slug", from.toolkit}}},
            {"auth_config", config},
            {"status", status},
            {"status_reason", reason},
            {"is_disabled", !is_active(from)},
            {"state", {{"authScheme", scheme_of(from)}, {"val", {{"status", status}}}}},
            {"data", json::object()},
            {"params", json::object()},
            {"created_at", from.created_at},
            {"updated_at", from.created_at}};
}

}  // namespace

std::string auth_config_id(const std::string& toolkit) { return "ac_" + toolkit; }

json shown_toolkit(const std::string& toolkit, const connection& of, bool enabled) {
    return {{"slug", toolkit},
            {"name", toolkit},
            {"enabled", enabled},
            {"is_no_auth", of.tools > 0},
            {"meta", {{"logo", ""}, {"description", description_of(of)}, {"tools_count", of.tools}}},
            {"composio_managed_auth_schemes", json::array()},
            {"connected_account", of.account ? listed_account(*of.account) : json(nullptr)}};
}

json shown_account(const accounts::account& from) {
    return described(from, status_of(from), is_active(from) ? json(nullptr) : json("the account was disabled"));
}

json shown_link(const accounts::pending_link& from, bool is_over) {
    if (!is_over) return described(from.what, "INITIATED", nullptr);
    return described(from.what, "EXPIRED", "nobody used the link before it expired: begin a new one");
}

std::string connection_message(const connection& of) {
    if (of.tools > 0) return "Ready: it needs no connection.";
    if (of.has_active_account())
        return of.trouble.empty() ? "Ready: call it with proxy_execute." : "Ready for proxy_execute: " + of.trouble;
    if (of.can_connect) return "Not connected: COMPOSIO_MANAGE_CONNECTIONS begins a link for the user.";
    return "Not connected: " + of.trouble;
}

}  // namespace gateway::api::composio
