#include "gateway/http/request.hpp"

#include <algorithm>

namespace gateway::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool less_ignoring_case::operator()(std::string_view left, std::string_view right) const {
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                        [](char a, char b) { return lower(a) < lower(b); });
}

std::string request::header(std::string_view name) const {
    auto at = headers.find(name);
    return at == headers.end() ? std::string() : at->second;
}

std::optional<std::string> request::find_query(const std::string& name) const {
    auto at = query.lower_bound(name);
    if (at == query.end() || at->first != name) return std::nullopt;
    return at->second;
}

}  // namespace gateway::http
