#include "gateway/http/target.hpp"

#include <algorithm>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

failure bad(std::string message) { return failure{errc::invalid_request, std::move(message)}; }

bool has_dot_segment(std::string_view path) {
    while (!path.empty()) {
        auto slash = path.find('/');
        auto segment = path.substr(0, slash);
        if (segment == "." || segment == "..") return true;
        if (slash == std::string_view::npos) return false;
        path.remove_prefix(slash + 1);
    }
    return false;
}

// Cuts "http://authority" off the absolute form; the authority, empty for the origin form.
result<std::string_view> take_authority(std::string_view& text) {
    if (text.starts_with('/')) return std::string_view();
    auto scheme = text.find("://");
    auto name = scheme == std::string_view::npos ? std::string_view() : text.substr(0, scheme);
    if (!equals_ignoring_case(name, "http") && !equals_ignoring_case(name, "https"))
        return bad("the request target must begin with \"/\"");
    text.remove_prefix(scheme + 3);
    auto authority = text.substr(0, text.find_first_of("/?"));
    text.remove_prefix(authority.size());
    return authority;
}

}  // namespace

result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) return bad("\"%\" in a URL must be followed by two hexadecimal digits");
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    if (!is_utf8(decoded)) return bad("a URL must be percent-encoded UTF-8");
    return decoded;
}

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

result<std::string> decode_path(std::string_view encoded) {
    auto decoded = percent_decode(encoded);
    if (!decoded) return decoded.error();
    if (has_dot_segment(*decoded)) return bad("a path must not hold the segments \".\" and \"..\"");
    return decoded;
}

result<std::multimap<std::string, std::string>> parse_query(std::string_view text) {
    std::multimap<std::string, std::string> query;
    while (!text.empty()) {
        auto ampersand = std::min(text.find('&'), text.size());
        auto item = text.substr(0, ampersand);
        text.remove_prefix(std::min(ampersand + 1, text.size()));
        if (item.empty()) continue;
        auto equals = std::min(item.find('='), item.size());
        auto name = percent_decode(item.substr(0, equals), true);
        auto value = percent_decode(item.substr(std::min(equals + 1, item.size())), true);
        if (!name) return name.error();
        if (!value) return value.error();
        query.emplace(std::move(*name), std::move(*value));
    }
    return query;
}

result<target> parse_target(std::string_view text) {
    target made;
    text = text.substr(0, text.find('#'));
    auto authority = take_authority(text);
    if (!authority) return authority.error();
    made.authority = *authority;
    auto question = std::min(text.find('?'), text.size());
    made.path = text.substr(0, question);
    if (made.path.empty()) made.path = "/";
    auto query = parse_query(text.substr(std::min(question + 1, text.size())));
    if (!query) return query.error();
    made.query = std::move(*query);
    return made;
}

std::string normalize_base_url(std::string_view base_url) {
    while (base_url.ends_with('/')) base_url.remove_suffix(1);
    while (base_url.starts_with('/')) base_url.remove_prefix(1);
    return base_url.empty() ? std::string() : "/" + to_lower(base_url);
}

std::optional<std::string_view> strip_base_url(std::string_view path, std::string_view normalized) {
    if (normalized.empty()) return path;
    if (!equals_ignoring_case(path.substr(0, normalized.size()), normalized)) return std::nullopt;
    auto rest = path.substr(normalized.size());
    if (!rest.empty() && rest.front() != '/') return std::nullopt;
    return rest;
}

}  // namespace gateway::http
