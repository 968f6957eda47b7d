#include "gateway/accounts/hop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "gateway/accounts/credential.hpp"
#include "gateway/accounts/request_headers.hpp"
#include "gateway/outbound/url.hpp"

namespace gateway::accounts {
namespace {

// What people write into paths and browsers encode. Control characters stay, to be refused.
std::string without_loose_characters(std::string_view text) {
    constexpr std::string_view loose = " \"<>^`{|}";
    std::string made;
    for (char letter : text) {
        bool is_loose = loose.find(letter) != std::string_view::npos || static_cast<unsigned char>(letter) > 0x7e;
        if (is_loose && letter != 0x7f) {
            made += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        } else {
            made += letter;
        }
    }
    return made;
}

bool is_absolute(std::string_view text) {
    auto scheme = text.substr(0, text.find(':'));
    std::string low;
    for (char letter : scheme.substr(0, 6)) low += static_cast<char>(letter | 0x20);
    return text.find("://") == scheme.size() && (low == "http" || low == "https");
}

result<outbound::url> own_url(const account& of, const std::string& text, const char* what,
                              const account_rules& rules) {
    auto parsed = outbound::parse_url(without_loose_characters(text));
    if (!parsed) return failure{parsed.error().code, fmt::format("{}: {}", what, parsed.error().message)};
    auto own = origins(of);
    if (std::find(own.begin(), own.end(), parsed->origin()) == own.end())
        return failure{errc::origin_mismatch,
                       fmt::format("{} leads to {}, which is none of the hosts of account {}: {}", what,
                                   parsed->origin(), of.id, fmt::join(own, ", "))};
    if (parsed->tls || rules.plain_http) return parsed;
    return failure{errc::forbidden,
                   fmt::format("{} leads to {} over http://, where everybody on the way reads the secret, and "
                               "accounts.plain_http in the gateway's configuration does not allow it: add the account "
                               "again with https://",
                               what, parsed->origin())};
}

std::string target_of(const account& of, const std::string& endpoint) {
    if (is_absolute(endpoint)) return endpoint;
    bool has_start = endpoint.starts_with('/') || endpoint.starts_with('?');
    return of.base_url + (has_start ? "" : "/") + endpoint;
}

bool is_content_type(const std::string& name) { return !outbound::find_header({{name, "x"}}, "content-type").empty(); }

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    auto low = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](char a, char b) { return low(a) == low(b); });
}

// The account's own parameter in the caller's query would be sent beside it, and servers differ in which they take.
bool names_parameter(const std::string& target, const std::string& name) {
    auto parsed = boost::urls::parse_origin_form(target);
    if (!parsed) return true;
    for (auto each : parsed->params())
        if (equal_ignoring_case(each.key, name)) return true;
    return false;
}

// Also where only - and _ differ, which are one to a service that sees headers as CGI's variables.
bool names_header(const outbound::headers& fields, const std::string& name) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const auto& each) { return plain_header_name(each.first) == plain_header_name(name); });
}

result<void> check_override(const account& of, const outbound::request& what) {
    if (of.scheme != auth_scheme::api_key) return {};
    bool is_there = of.place == key_place::query ? names_parameter(what.to.target, of.parameter)
                                                 : names_header(what.fields, of.parameter);
    if (!is_there) return {};
    return failure{errc::invalid_request, fmt::format("{} cannot be set: the account's key goes there", of.parameter)};
}

}  // namespace

result<hop> first_hop(const account& of, const proxy_request& asked, const account_rules& rules) {
    auto to = own_url(of, target_of(of, asked.endpoint), "endpoint", rules);
    if (!to) return to.error();
    hop made;
    made.what.method = asked.method;
    made.what.to = std::move(*to);
    for (const auto& [name, value] : asked.query)
        made.what.to.target += (made.what.to.target.find('?') == std::string::npos ? "?" : "&") +
                               percent_encoded(name) + "=" + percent_encoded(value);
    made.what.fields = asked.headers;
    made.what.fields.emplace_back("Accept-Encoding", "identity");
    if (outbound::find_header(asked.headers, "accept").empty()) made.what.fields.emplace_back("Accept", "*/*");
    if (!asked.content_type.empty() && outbound::find_header(asked.headers, "content-type").empty())
        made.what.fields.emplace_back("Content-Type", asked.content_type);
    made.what.body = asked.body;
    if (auto good = check_override(of, made.what); !good) return good.error();
    return made;
}

result<std::optional<hop>> next_hop(const account& of, const hop& from, int status, std::string_view location,
                                    const account_rules& rules) {
    bool keeps_method = status == 307 || status == 308;
    bool is_redirect = keeps_method || status == 301 || status == 302 || status == 303;
    if (!is_redirect || location.empty()) return std::optional<hop>();
    auto here = from.what.to.origin() + from.what.to.target;
    auto base = boost::urls::parse_uri(here);
    auto text = without_loose_characters(location);
    auto where = boost::urls::parse_uri_reference(text);
    boost::urls::url resolved;
    if (!base || !where || !boost::urls::resolve(*base, *where, resolved))
        return failure{errc::tool_failed, "the service redirects to an address that is malformed"};
    auto to = own_url(of, std::string(resolved.buffer()), "the service's redirect", rules);
    if (!to) return to.error();
    std::optional<hop> made(from);
    made->with_secret = from.with_secret && to->origin() == from.what.to.origin();
    made->what.to = std::move(*to);
    if (keeps_method || made->what.method == "HEAD" || made->what.method == "GET") return made;
    // As every client does since HTTP/1.0 (RFC 9110, section 15.4): the body has been taken, what follows is looked at.
    made->what.method = "GET";
    made->what.body.clear();
    std::erase_if(made->what.fields, [](const auto& each) { return is_content_type(each.first); });
    return made;
}

}  // namespace gateway::accounts
