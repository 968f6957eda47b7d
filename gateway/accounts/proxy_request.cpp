#include "gateway/accounts/proxy_request.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "gateway/accounts/request_headers.hpp"
#include "gateway/base/base64.hpp"
#include "gateway/tools/json_text.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::accounts {
namespace {

constexpr std::size_t most_parameters = 200;
constexpr std::size_t most_endpoint = 16'000;
constexpr std::string_view methods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

failure refuse(std::string why) { return {errc::invalid_request, std::move(why)}; }

std::string upper(std::string text) {
    auto raised = [](char letter) { return 'a' <= letter && letter <= 'z' ? static_cast<char>(letter - 32) : letter; };
    std::transform(text.begin(), text.end(), text.begin(), raised);
    return text;
}

// The members of an object whose names are all known; a null is as good as absent.
using members = std::map<std::string, std::string_view>;
result<members> take_apart(std::string_view object, const std::vector<std::string_view>& known,
                           const std::string& what) {
    members made;
    messaging::member_scanner scanner(object);
    for (messaging::json_member each; scanner.next(each);) {
        std::string storage;
        std::string key(messaging::key_of(each, storage));
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            std::string names;
            for (auto name : known) names += (names.empty() ? "" : ", ") + std::string(name);
            return failure{errc::unknown_field,
                           "unknown field \"" + key.substr(0, 100) + "\": " + what + " has " + names};
        }
        if (each.value != "null") made[key] = each.value;
    }
    if (!scanner.valid()) return refuse(what + " must be a JSON object");
    return made;
}

// Absent: empty.
result<std::string> text_of(const members& from, const std::string& name) {
    auto found = from.find(name);
    if (found == from.end()) return std::string();
    if (!messaging::is_string(found->second)) return refuse(name + " must be a text");
    return messaging::unquote(found->second);
}

bool is_scalar(std::string_view value) {
    return !value.empty() && value.front() != '{' && value.front() != '[' && value.front() != '"';
}

result<void> read_parameter(std::string_view text, proxy_request& into) {
    auto parts = take_apart(text, {"name", "type", "value"}, "a parameter");
    if (!parts) return parts.error();
    auto name = text_of(*parts, "name");
    auto type = text_of(*parts, "type");
    if (!name) return name.error();
    if (!type) return type.error();
    auto value = parts->find("value");
    if (name->empty() || value == parts->end()) return refuse("a parameter needs a name and a value");
    bool is_string = messaging::is_string(value->second);
    if (!is_string && !is_scalar(value->second))
        return refuse("the value of parameter \"" + name->substr(0, 100) + "\" must be a text, a number or a boolean");
    auto given = is_string ? messaging::unquote(value->second) : std::string(value->second);
    if (*type == "query") {
        into.query.emplace_back(std::move(*name), std::move(given));
        return {};
    }
    if (*type != "header") return refuse("the type of a parameter must be \"query\" or \"header\"");
    if (!outbound::is_valid_header(*name, given))
        return refuse("the header \"" + name->substr(0, 100) +
                      "\" has characters that HTTP does not allow, such as a line break");
    if (is_reserved_header(*name))
        return refuse("the header \"" + *name + "\" cannot be set: the gateway sets it, and the account authenticates");
    into.headers.emplace_back(std::move(*name), std::move(given));
    return {};
}

result<void> read_parameters(const members& from, proxy_request& into) {
    auto found = from.find("parameters");
    if (found == from.end()) return {};
    messaging::element_scanner scanner(found->second);
    std::size_t count = 0;
    for (std::string_view each; scanner.next(each);) {
        if (++count > most_parameters)
            return refuse("a call has at most " + std::to_string(most_parameters) + " parameters");
        if (auto read = read_parameter(each, into); !read) return read;
    }
    if (!scanner.valid()) return refuse("parameters must be a list of {name, type, value}");
    return {};
}

result<void> read_binary(std::string_view text, proxy_request& into) {
    auto parts = take_apart(text, {"base64", "content_type", "url"}, "binary_body");
    if (!parts) return parts.error();
    if (parts->contains("url"))
        return refuse(
            "binary_body.url is not fetched by this gateway: send the bytes themselves as binary_body.base64");
    auto encoded = text_of(*parts, "base64");
    auto type = text_of(*parts, "content_type");
    if (!encoded) return encoded.error();
    if (!type) return type.error();
    auto bytes = from_base64(*encoded);
    if (!bytes) return refuse("binary_body.base64 must be base64 (RFC 4648) with its padding");
    into.body = std::move(*bytes);
    into.content_type = type->empty() ? "application/octet-stream" : std::move(*type);
    if (!outbound::is_valid_header("content-type", into.content_type))
        return refuse("binary_body.content_type has characters that HTTP does not allow");
    return {};
}

result<void> read_body(const members& from, proxy_request& into) {
    auto body = from.find("body"), binary = from.find("binary_body");
    bool has_body = body != from.end(), has_binary = binary != from.end();
    if (has_body && has_binary) return refuse("give body or binary_body, not both");
    if ((has_body || has_binary) && (into.method == "GET" || into.method == "HEAD"))
        return refuse("a " + into.method + " request has no body: leave it out, or use query parameters");
    if (has_binary) return read_binary(binary->second, into);
    if (!has_body) return {};
    bool is_text = messaging::is_string(body->second);
    into.body = is_text ? messaging::unquote(body->second) : std::string(body->second);
    into.content_type = is_text ? "text/plain; charset=utf-8" : "application/json";
    return {};
}

// What a strict reader takes for JSON: the service is one.
bool is_strict(std::string_view body) {
    return !tools::is_too_deep(body) && messaging::is_utf8(body) &&
           messaging::find_lone_surrogate(body) == std::string_view::npos;
}

}  // namespace

result<proxy_request> parse_proxy_request(std::string_view body) {
    if (!is_strict(body))
        return refuse("the body must be a JSON object in UTF-8, nested at most " +
                      std::to_string(tools::max_json_depth) + " deep");
    auto parts = take_apart(
        body, {"toolkit_slug", "endpoint", "method", "parameters", "body", "binary_body", "account"}, "the body");
    if (!parts) return parts.error();
    proxy_request made;
    for (auto [name, into] : {std::pair{"toolkit_slug", &made.toolkit}, std::pair{"endpoint", &made.endpoint},
                              std::pair{"method", &made.method}, std::pair{"account", &made.account}}) {
        auto text = text_of(*parts, name);
        if (!text) return text.error();
        if (parts->contains(name)) *into = std::move(*text);
    }
    if (made.toolkit.empty()) return refuse("toolkit_slug is missing: it names the toolkit whose account is used");
    if (made.endpoint.empty()) return refuse("endpoint is missing: a path such as /user/repos, or a whole URL");
    if (made.endpoint.size() > most_endpoint)
        return refuse("endpoint is longer than " + std::to_string(most_endpoint) + " characters");
    made.method = upper(std::move(made.method));
    if (std::find(std::begin(methods), std::end(methods), made.method) == std::end(methods))
        return refuse("method must be GET, POST, PUT, PATCH, DELETE or HEAD");
    if (auto read = read_parameters(*parts, made); !read) return read.error();
    if (auto read = read_body(*parts, made); !read) return read.error();
    return made;
}

}  // namespace gateway::accounts
