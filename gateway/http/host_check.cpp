#include "gateway/http/host_check.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

// What a registered name or an IPv4 address may hold.
bool is_host_text(std::string_view text) {
    return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
}

bool is_ipv6_address(const std::string& text) {
    in6_addr room{};
    return text.find('\0') == std::string::npos && inet_pton(AF_INET6, text.c_str(), &room) == 1;
}

bool is_port(std::string_view text) {
    return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<host_and_port> parse_host(std::string_view header) {
    header = trim(header);
    std::string_view host, rest;
    if (header.starts_with('[')) {
        auto end = header.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        host = header.substr(1, end - 1);
        rest = header.substr(end + 1);
        if (!is_ipv6_address(std::string(host))) return std::nullopt;
    } else {
        host = header.substr(0, header.find(':'));
        rest = header.substr(host.size());
        if (host.ends_with('.')) host.remove_suffix(1);
        if (!is_host_text(host) || host.ends_with('.')) return std::nullopt;
    }
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
    auto port = rest.empty() ? rest : rest.substr(1);
    if (!is_port(port)) return std::nullopt;
    return host_and_port{to_lower(host), std::string(port)};
}

bool is_loopback_address(const std::string& host) {
    in_addr v4{};
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
    in6_addr v6{};
    if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

bool is_local_host(const host_and_port& host, const std::vector<std::string>& local_hostnames) {
    if (is_loopback_address(host.host)) return true;
    return std::any_of(local_hostnames.begin(), local_hostnames.end(),
                       [&](const std::string& name) { return equals_ignoring_case(name, host.host); });
}

}  // namespace gateway::http
