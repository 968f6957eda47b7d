#include "gateway/http/cors.hpp"

#include <regex>

#include "gateway/http/origin.hpp"
#include "gateway/http/server.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

// std::regex recurses once a character: a longer Origin is no real one and could exhaust the stack.
constexpr std::size_t max_origin_length = 512;
constexpr const char* default_headers = "accept, content-type, authorization, x-api-key, x-xsrftoken";

void add_if_set(header_list& to, const char* name, const std::string& value) {
    if (!value.empty()) to.emplace_back(name, value);
}

}  // namespace

struct cors::pattern {
    std::regex expression;
};

cors::cors(const server_options& options) : options_(&options) {}
cors::cors(cors&&) noexcept = default;
cors::~cors() = default;

result<cors> cors::make(const server_options& options) {
    cors made(options);
    if (options.allow_origin_pattern.empty()) return made;
    try {
        made.pattern_ = std::make_unique<pattern>();
        made.pattern_->expression.assign(options.allow_origin_pattern, std::regex::ECMAScript | std::regex::icase);
    } catch (const std::regex_error& wrong) {
        return failure{errc::invalid_request, "server.allow_origin_pattern \"" + options.allow_origin_pattern +
                                                  "\" is no regular expression: " + wrong.what()};
    }
    return made;
}

bool cors::has_rules() const { return !options_->allow_origin.empty() || pattern_ != nullptr; }

bool cors::is_allowed(const std::string& origin) const {
    if (options_->allow_origin == "*" || equals_ignoring_case(options_->allow_origin, origin)) return true;
    return pattern_ && origin.size() <= max_origin_length && std::regex_match(origin, pattern_->expression);
}

origin_verdict cors::judge(const request& what) const {
    auto text = what.header("origin");
    if (text.empty()) return origin_verdict::absent;
    auto from = parse_origin(text);
    auto host = parse_host(what.header("host"));
    if (from && host && is_same_origin(*from, *host)) return origin_verdict::same;
    return is_allowed(text) ? origin_verdict::allowed : origin_verdict::foreign;
}

header_list cors::headers(const request& what, origin_verdict verdict, bool admitted) const {
    header_list list;
    bool echoes = (verdict == origin_verdict::allowed && options_->allow_origin != "*") || admitted;
    if (echoes) {
        list.emplace_back("Access-Control-Allow-Origin", what.header("origin"));
    } else {
        add_if_set(list, "Access-Control-Allow-Origin", options_->allow_origin);
    }
    if (echoes || pattern_) list.emplace_back("Vary", "Origin");
    if (options_->allow_credentials) list.emplace_back("Access-Control-Allow-Credentials", "true");
    add_if_set(list, "Access-Control-Allow-Headers", options_->allow_headers);
    add_if_set(list, "Access-Control-Allow-Methods", options_->allow_methods);
    add_if_set(list, "Access-Control-Expose-Headers", options_->expose_headers);
    add_if_set(list, "Access-Control-Max-Age", options_->max_age);
    return list;
}

header_list cors::preflight_headers(const request& what, origin_verdict verdict, std::string_view methods) const {
    header_list list;
    bool is_preflight = verdict != origin_verdict::absent && !what.header("access-control-request-method").empty();
    if (!is_preflight) return list;
    if (options_->allow_methods.empty()) list.emplace_back("Access-Control-Allow-Methods", methods);
    if (options_->allow_headers.empty()) list.emplace_back("Access-Control-Allow-Headers", default_headers);
    return list;
}

}  // namespace gateway::http
