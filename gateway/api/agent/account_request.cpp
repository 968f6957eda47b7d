#include "gateway/api/agent/account_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/fields.hpp"
#include "messaging/json_problem.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::size_t most_text = 2'000;
constexpr std::size_t most_hosts_bytes = 64u << 10;
constexpr std::size_t most_secret = 8'192;

std::vector<std::string> hosts(fields& from) {
    std::vector<std::string> made;
    auto text = from.raw("hosts", most_hosts_bytes);
    if (text.empty()) return made;
    auto parsed = json::parse(text, nullptr, false);
    bool is_list = parsed.is_array();
    for (std::size_t at = 0; is_list && at < parsed.size(); ++at) {
        is_list = parsed[at].is_string();
        if (is_list) made.push_back(parsed[at].get<std::string>());
    }
    if (!is_list) from.refuse("hosts must be a list of host names");
    return made;
}

// A word of an enumeration.
template <class Enum>
std::optional<Enum> word(fields& from, const char* name, std::optional<Enum> (*find)(std::string_view),
                         const char* known) {
    auto text = from.text(name, most_text);
    if (!text) return std::nullopt;
    auto found = find(*text);
    if (!found) from.refuse(fmt::format("{} must be {}", name, known));
    return found;
}

result<void> check_user(const std::string& user, const http::principal& caller) {
    if (caller.is_admin() || user == caller.user_id) return {};
    return failure{errc::forbidden,
                   fmt::format("user_id {} is another user; this key acts for {} alone", user, caller.user_id)};
}

// A body with a secret: what is wrong with its text is told without the text.
result<request_object> read_account(const std::string& body) {
    auto object = read_request(body, request_form::plain);
    if (!object && object.error().code != errc::invalid_request) return object;
    auto is_good = [](const auto& member) { return messaging::json_problem(member.second).empty(); };
    if (object && std::all_of(object->members.begin(), object->members.end(), is_good)) return object;
    return failure{errc::invalid_request,
                   "the body must be a JSON object in UTF-8 (RFC 8259); where it is not is not shown, since a secret "
                   "may stand there"};
}

}  // namespace

result<new_account> parse_new_account(const std::string& body, const http::principal& caller) {
    auto object = read_account(body);
    if (!object) return object.error();
    fields from(*object);
    new_account made;
    auto& what = made.what;
    what.user_id = from.text("user_id", most_text).value_or(caller.user_id);
    what.toolkit = from.required_text("toolkit", most_text);
    what.alias = from.text("alias", most_text).value_or("");
    what.base_url = from.required_text("base_url", most_text);
    what.hosts = hosts(from);
    auto scheme = word(from, "auth_scheme", accounts::find_scheme, "api_key, basic or bearer");
    if (!scheme) from.refuse("auth_scheme is required: api_key, basic or bearer");
    what.scheme = scheme.value_or(what.scheme);
    auto place = word(from, "in", accounts::find_place, "header or query");
    if (place && what.scheme != accounts::auth_scheme::api_key) from.refuse("in is for the auth_scheme api_key only");
    what.place = place.value_or(what.place);
    what.parameter = from.text("name", most_text).value_or("");
    what.prefix = from.text("prefix", most_text).value_or("");
    what.username = from.text("username", most_text).value_or("");
    made.secret = from.required_text("secret", most_secret);
    if (auto good = from.finish(); !good) return good.error();
    if (auto allowed = check_user(what.user_id, caller); !allowed) return allowed.error();
    return made;
}

result<accounts::account_change> parse_account_change(const std::string& body) {
    auto object = read_account(body);
    if (!object) return object.error();
    fields from(*object);
    accounts::account_change made;
    made.alias = from.text("alias", most_text);
    made.status = word(from, "status", accounts::find_status, "active or disabled");
    made.secret = from.text("secret", most_secret);
    if (auto good = from.finish(); !good) return good.error();
    return made;
}

}  // namespace gateway::api::agent
