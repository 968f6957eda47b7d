#include "gateway/accounts/account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/accounts/request_headers.hpp"
#include "gateway/outbound/headers.hpp"
#include "gateway/outbound/url.hpp"
#include "messaging/utf8.hpp"

namespace gateway::accounts {
namespace {

constexpr std::size_t most_name = 200;
constexpr std::size_t most_url = 2'000;
constexpr std::size_t most_hosts = 20;
constexpr std::size_t least_secret = 8;  // what is shorter could not be told from other text, to be hidden in an answer
constexpr std::size_t most_secret = 8'192;

constexpr const char* scheme_names[] = {"api_key", "basic", "bearer"};
constexpr const char* place_names[] = {"header", "query"};
constexpr const char* status_names[] = {"active", "disabled"};

template <class Enum, std::size_t count>
std::optional<Enum> find(const char* const (&names)[count], std::string_view name) {
    for (std::size_t at = 0; at < count; ++at)
        if (name == names[at]) return static_cast<Enum>(at);
    return std::nullopt;
}

failure refuse(std::string why) { return {errc::invalid_request, std::move(why)}; }

bool is_control(char letter) {
    auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
}

// U+0080 to U+009F: a terminal may take them for the beginning of a command.
bool has_late_control(std::string_view text) {
    for (std::size_t at = text.find('\xC2'); at != std::string_view::npos; at = text.find('\xC2', at + 1))
        if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) return true;
    return false;
}

bool is_printable(std::string_view text) {
    return std::none_of(text.begin(), text.end(), is_control) && messaging::is_utf8(text) && !has_late_control(text);
}

bool is_text(const std::string& text) { return !text.empty() && text.size() <= most_name && is_printable(text); }

bool is_visible_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char letter) { return 0x21 <= letter && letter <= 0x7e; });
}

bool is_toolkit_char(char letter) {
    return ('a' <= letter && letter <= 'z') || ('0' <= letter && letter <= '9') || letter == '_' || letter == '-';
}

std::string lower(std::string text) {
    auto lowered = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    std::transform(text.begin(), text.end(), text.begin(), lowered);
    return text;
}

result<outbound::url> check_url(const std::string& text, const char* field, const account_rules& rules) {
    if (text.size() > most_url) return refuse(fmt::format("{} is longer than {} characters", field, most_url));
    auto parsed = outbound::parse_url(text);
    if (!parsed) return refuse(fmt::format("{}: {}", field, parsed.error().message));
    if (!parsed->tls && !rules.plain_http)
        return refuse(
            fmt::format("{} must begin with https://: over http:// everybody on the way reads the secret; "
                        "accounts.plain_http in the gateway's configuration allows it",
                        field));
    return parsed;
}

result<void> check_base(account& made, const account_rules& rules) {
    if (made.base_url.find_first_of("?#") != std::string::npos)
        return refuse("base_url must have no query and no fragment: endpoints are added to it");
    auto parsed = check_url(made.base_url, "base_url", rules);
    if (!parsed) return parsed.error();
    made.base_url = parsed->origin() + parsed->target;
    while (made.base_url.ends_with('/')) made.base_url.pop_back();
    return {};
}

// A bare host or host:port is reached as the base URL is.
result<void> check_hosts(account& made, const account_rules& rules) {
    if (made.hosts.size() > most_hosts) return refuse(fmt::format("hosts must have at most {} entries", most_hosts));
    auto scheme = made.base_url.substr(0, made.base_url.find("//") + 2);
    for (auto& each : made.hosts) {
        if (each.find_first_of("?#") != std::string::npos)
            return refuse("hosts must be names such as uploads.example.com, without a query or a fragment");
        auto text = each.find("://") == std::string::npos ? scheme + each : each;
        auto parsed = check_url(text, "hosts", rules);
        if (!parsed) return parsed.error();
        if (parsed->target != "/") return refuse("hosts must be names such as uploads.example.com, without a path");
        each = parsed->origin();
    }
    return {};
}

result<void> check_header_key(account& made) {
    if (made.parameter.size() > most_name || made.prefix.size() > most_name || !is_printable(made.prefix) ||
        !outbound::is_valid_header(made.parameter, made.prefix))
        return refuse(
            "name must be that of an HTTP header, such as x-api-key, and prefix at most 200 characters without line "
            "breaks");
    made.parameter = lower(made.parameter);
    if (made.parameter != "authorization" && is_reserved_header(made.parameter))
        return refuse(fmt::format("name must not be {}: that header is HTTP's own", made.parameter));
    return {};
}

result<void> check_scheme(account& made) {
    if (made.scheme != auth_scheme::basic && !made.username.empty())
        return refuse("username is for the auth_scheme basic only");
    if (made.scheme != auth_scheme::api_key && (!made.parameter.empty() || !made.prefix.empty()))
        return refuse("in, name and prefix are for the auth_scheme api_key only");
    if (made.scheme == auth_scheme::basic) {
        if (!is_text(made.username) || made.username.find(':') != std::string::npos)
            return refuse("username must be 1 to 200 characters of UTF-8 without a colon");
        return {};
    }
    if (made.scheme == auth_scheme::bearer) return {};
    if (made.parameter.empty() && made.place == key_place::header) made.parameter = "x-api-key";
    if (made.place == key_place::header) return check_header_key(made);
    if (!is_text(made.parameter)) return refuse("name must say which query parameter has the key");
    if (!made.prefix.empty()) return refuse("prefix is for a key in a header only");
    return {};
}

}  // namespace

const char* to_string(auth_scheme which) { return scheme_names[static_cast<int>(which)]; }
const char* to_string(key_place which) { return place_names[static_cast<int>(which)]; }
const char* to_string(account_status which) { return status_names[static_cast<int>(which)]; }
std::optional<auth_scheme> find_scheme(std::string_view name) { return find<auth_scheme>(scheme_names, name); }
std::optional<key_place> find_place(std::string_view name) { return find<key_place>(place_names, name); }
std::optional<account_status> find_status(std::string_view name) { return find<account_status>(status_names, name); }

result<void> check_alias(const std::string& alias) {
    if (alias.empty()) return {};
    if (!is_text(alias)) return refuse("alias must be at most 200 characters of UTF-8, without control characters");
    if (alias.starts_with("ca_")) return refuse("alias must not begin with ca_, as ids do");
    return {};
}

result<account> checked(account given, const account_rules& rules) {
    if (!is_text(given.user_id))
        return refuse("user_id must be 1 to 200 characters of UTF-8, without control characters");
    given.toolkit = lower(std::move(given.toolkit));
    if (given.toolkit.empty() || given.toolkit.size() > 64 ||
        !std::all_of(given.toolkit.begin(), given.toolkit.end(), is_toolkit_char))
        return refuse("toolkit must be 1 to 64 letters, digits, _ and -, such as github");
    if (auto good = check_alias(given.alias); !good) return good.error();
    if (auto good = check_base(given, rules); !good) return good.error();
    if (auto good = check_hosts(given, rules); !good) return good.error();
    if (auto good = check_scheme(given); !good) return good.error();
    return given;
}

result<account> checked_service(account given, const account_rules& rules) {
    given.user_id = "any";
    given.username = given.scheme == auth_scheme::basic ? "any" : "";
    auto made = checked(std::move(given), rules);
    if (!made) return made;
    made->user_id.clear();
    made->username.clear();
    return made;
}

result<void> check_secret(const account& of, const std::string& secret) {
    bool is_password = of.scheme == auth_scheme::basic;
    auto least = is_password ? 1 : least_secret;
    bool is_good = is_password ? is_printable(secret) : is_visible_ascii(secret);
    if (is_good && least <= secret.size() && secret.size() <= most_secret) return {};
    return refuse(is_password ? "the secret, a password, must be 1 to 8192 bytes of UTF-8 without control characters"
                              : "the secret must be 8 to 8192 visible ASCII characters, without spaces");
}

std::vector<std::string> origins(const account& of) {
    std::vector<std::string> made;
    if (auto base = outbound::parse_url(of.base_url)) made.push_back(base->origin());
    made.insert(made.end(), of.hosts.begin(), of.hosts.end());
    return made;
}

}  // namespace gateway::accounts
