#include "gateway/http/router.hpp"

#include <algorithm>

#include "gateway/http/target.hpp"

namespace gateway::http {
namespace {

// Cuts the first segment off "/a/b": returns "a", leaves "/b".
std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(1);
    auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

bool add_parameter(std::string_view encoded, std::vector<std::string>& parameters) {
    auto decoded = percent_decode(encoded);
    if (!decoded || decoded->empty()) return false;
    parameters.push_back(std::move(*decoded));
    return true;
}

bool is_literal(std::string_view pattern, std::string_view segment) {
    if (pattern == segment) return true;
    auto decoded = percent_decode(segment);
    return decoded && *decoded == pattern;
}

bool fits(std::string_view pattern, std::string_view path, std::vector<std::string>& parameters) {
    while (!pattern.empty() && !path.empty()) {
        auto expected = take_segment(pattern);
        if (expected == "{*}") return add_parameter(path.substr(1), parameters);
        auto segment = take_segment(path);
        if (expected == "{}" ? !add_parameter(segment, parameters) : !is_literal(expected, segment)) return false;
    }
    return pattern.empty() && path.empty();
}

std::string_view without_final_slash(std::string_view path) {
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

void router::add(route what) { routes_.push_back(std::move(what)); }

router::match router::find(std::string_view method, std::string_view path) const {
    match answer;
    bool exact = false;
    path = without_final_slash(path);
    if (!path.starts_with('/')) return answer;
    for (const auto& each : routes_) {
        std::vector<std::string> parameters;
        if (!fits(each.pattern, path, parameters)) continue;
        if (std::find(answer.allowed.begin(), answer.allowed.end(), each.method) == answer.allowed.end())
            answer.allowed.push_back(each.method);
        bool is_head = method == "HEAD" && each.method == "GET";
        if (exact || (each.method != method && (!is_head || answer.found))) continue;
        exact = each.method == method;
        answer.found = &each;
        answer.parameters = std::move(parameters);
    }
    return answer;
}

const std::vector<route>& router::routes() const { return routes_; }

}  // namespace gateway::http
