#include "gateway/http/admission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/http/forwarded.hpp"
#include "gateway/http/host_check.hpp"
#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

// "GET, HEAD, OPTIONS, POST": as a client writes them.
std::string allowed_methods(const std::vector<std::string>& of_routes) {
    std::vector<std::string> methods = {"OPTIONS"};
    for (const auto& each : of_routes) {
        methods.push_back(each == "WS" ? "GET" : each);
        if (each == "GET") methods.push_back("HEAD");
    }
    std::sort(methods.begin(), methods.end());
    methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
    return fmt::format("{}", fmt::join(methods, ", "));
}

bool asks_for_key_header(const request& what) {
    auto asked = what.header("access-control-request-headers");
    return list_has(asked, "authorization") || list_has(asked, "x-api-key") || list_has(asked, "x-session-access-key");
}

// A browser names the page's origin in what changes something. One that leaves that out tells this still.
bool is_from_another_site(const request& what) {
    auto site = what.header("sec-fetch-site");
    if (site.empty() || equals_ignoring_case(site, "same-origin") || equals_ignoring_case(site, "none")) return false;
    return what.method != "GET" && what.method != "HEAD";
}

}  // namespace

struct admission::state {
    request& what;
    std::string path;  // encoded, without base_url
    router::match match;
    bool is_websocket = false;
    origin_verdict verdict = origin_verdict::absent;
    bool admitted = false;  // a foreign origin, let in by its key

    error_style style() const { return match.found ? match.found->errors : error_style::jupyter; }
    response refuse(errc code, std::string message, int status = 0) const {
        return error_response(failure{code, std::move(message)}, style(), what.id, status);
    }
};

admission::admission(const server_options& options, const router& routes, authenticator& keys, cors origins)
    : options_(&options),
      routes_(&routes),
      keys_(&keys),
      origins_(std::move(origins)),
      base_url_(normalize_base_url(options.base_url)) {}

result<admission> admission::make(const server_options& options, const router& routes, authenticator& keys) {
    auto origins = cors::make(options);
    if (!origins) return origins.error();
    return admission(options, routes, keys, std::move(*origins));
}

bool admission::wants_websocket(const request& what) {
    return what.method == "GET" && list_has(what.header("upgrade"), "websocket") &&
           list_has(what.header("connection"), "upgrade");
}

admission::decision admission::decide(request& what, std::string_view target) const {
    if (options_->trust_xheaders) apply_forwarded(what);
    state now{.what = what, .path = {}, .match = {}};
    decision made;
    made.answer = read_target(now, target);
    now.verdict = origins_.judge(what);
    if (!made.answer) made.answer = check_host(now);
    if (!made.answer) made.answer = find_route(now);
    if (!made.answer && what.method == "OPTIONS") made.answer = answer_options(now);
    if (!made.answer) made.answer = check_origin(now);
    if (!made.answer) made.answer = check_caller(now);
    if (!made.answer) made.found = now.match.found;
    made.headers = origins_.headers(what, now.verdict, now.admitted);
    return made;
}

std::optional<response> admission::read_target(state& of, std::string_view text) const {
    if (text == "*" && of.what.method == "OPTIONS") text = "/";
    auto target = parse_target(text);
    if (!target) return of.refuse(target.error().code, target.error().message);
    if (!target->authority.empty()) {
        of.what.headers.erase("host");
        of.what.headers.emplace("host", target->authority);
    }
    of.what.query = std::move(target->query);
    auto inside = strip_base_url(target->path, base_url_);
    if (!inside)
        return of.refuse(errc::not_found,
                         fmt::format("nothing is served here: this gateway's base URL is {}/", base_url_));
    if (inside->empty()) {
        auto redirect = empty_response(302);
        redirect.headers.emplace_back("Location", base_url_ + "/");
        return redirect;
    }
    of.path = *inside;
    auto decoded = decode_path(of.path);
    if (!decoded) return of.refuse(decoded.error().code, decoded.error().message);
    of.what.path = std::move(*decoded);
    return std::nullopt;
}

std::optional<response> admission::check_host(state& of) const {
    auto count = of.what.headers.count("host");
    if (count > 1) return of.refuse(errc::invalid_request, "a request must have one Host header");
    if (options_->allow_remote_access || count == 0) return std::nullopt;  // only a program leaves it out (HTTP/1.0)
    auto text = of.what.header("host");
    auto host = parse_host(text);
    if (!host)
        return of.refuse(errc::invalid_request, "the Host header must be a name or an address, with a port or none");
    if (is_local_host(*host, options_->local_hostnames)) return std::nullopt;
    return of.refuse(errc::forbidden, fmt::format("the host {} is not served: add it to server.local_hostnames, or set "
                                                  "server.allow_remote_access = true",
                                                  host->host));
}

std::optional<response> admission::find_route(state& of) const {
    of.is_websocket = wants_websocket(of.what);
    if (of.is_websocket) of.match = routes_->find("WS", of.path);
    of.is_websocket = of.match.found != nullptr;
    if (!of.is_websocket) of.match = routes_->find(of.what.method == "WS" ? "" : of.what.method, of.path);
    of.what.parameters = of.match.parameters;
    if (has_control_character(of.what.path) && !(of.match.found && of.match.found->any_name))
        return of.refuse(errc::invalid_request, "a path must not hold control characters");
    if (of.match.allowed.empty())
        return of.refuse(errc::not_found, fmt::format("there is nothing at {}", of.what.path));
    if (of.match.found || of.what.method == "OPTIONS") return std::nullopt;
    bool only_websocket = of.match.allowed == std::vector<std::string>{"WS"};
    if (of.what.method == "GET" && only_websocket) {
        auto answer = of.refuse(errc::invalid_request, "this is a WebSocket: connect with ws:// or wss://", 426);
        answer.headers.emplace_back("Upgrade", "websocket");
        return answer;
    }
    auto methods = allowed_methods(of.match.allowed);
    auto answer = of.refuse(errc::method_not_allowed,
                            fmt::format("{} is not among the methods here: {}", of.what.method, methods));
    answer.headers.emplace_back("Allow", methods);
    return answer;
}

// Needs no key. A foreign page that means to send one is let through the preflight when no other rule was configured,
// as in jupyter_server: what it then sends is checked by its key.
std::optional<response> admission::answer_options(state& of) const {
    auto methods = allowed_methods(of.match.allowed);
    auto answer = empty_response(204);
    answer.headers.emplace_back("Allow", methods);
    if (of.verdict == origin_verdict::foreign)
        of.admitted = keys_->requires_key() && !origins_.has_rules() && asks_for_key_header(of.what);
    if (of.verdict != origin_verdict::foreign || of.admitted)
        for (auto& each : origins_.preflight_headers(of.what, of.verdict, methods)) answer.headers.push_back(each);
    return answer;
}

std::optional<response> admission::check_origin(state& of) const {
    if (of.verdict == origin_verdict::absent && is_from_another_site(of.what))
        return of.refuse(errc::forbidden, "a page of another site sent this: it may not change anything here");
    if (of.verdict != origin_verdict::foreign) return std::nullopt;
    auto why = "pages of this origin are not served: set server.allow_origin or server.allow_origin_pattern";
    if (of.is_websocket) return of.refuse(errc::forbidden, why);
    auto key = find_header_key(of.what);
    of.admitted = key && keys_->requires_key() && keys_->find(key);
    if (of.admitted) return std::nullopt;
    return of.refuse(errc::not_found, why);
}

std::optional<response> admission::check_session_key(state& of) const {
    const auto& good_for = of.what.caller.only_session;
    if (of.match.found->needed == scope::none) return std::nullopt;
    if (of.match.found->takes_session_key && !of.what.parameters.empty() && of.what.parameters.front() == good_for)
        return std::nullopt;
    return of.refuse(errc::forbidden,
                     fmt::format("this is the key of the session {}, good for its tools and files alone: "
                                 "use a key of the gateway's here",
                                 good_for));
}

std::optional<response> admission::check_caller(state& of) const {
    auto needed = of.match.found->needed;
    auto key = find_key(of.what);
    auto caller = keys_->find(key);
    if (caller) of.what.caller = std::move(*caller);
    if (!of.what.caller.only_session.empty()) {
        if (auto refused = check_session_key(of)) return refused;
    }
    if (of.what.caller.may(needed)) return std::nullopt;
    if (!caller)
        return of.refuse(
            errc::unauthorized,
            key ? "this key is unknown or was revoked"
                : "a key is needed: send \"Authorization: Bearer KEY\", or x-api-key; `cellgate keys add` makes one");
    return of.refuse(errc::forbidden, fmt::format("this needs a key with the scope {}; this one has {}",
                                                  to_string(needed), to_string(of.what.caller.allowed)));
}

}  // namespace gateway::http
