// Which Host headers are served: a web page that rebinds its own name to 127.0.0.1 must not reach the gateway.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

struct host_and_port {
    std::string host;  // lower case, without brackets and a final dot
    std::string port;  // digits, or empty

    bool operator==(const host_and_port&) const = default;
};

// "Name:8888", "[::1]:8888", "127.0.0.1"; nullopt for anything else.
std::optional<host_and_port> parse_host(std::string_view header);
// 127.0.0.0/8 and ::1, also IPv4-mapped; names are for local_hostnames to list.
bool is_loopback_address(const std::string& host);
bool is_local_host(const host_and_port& host, const std::vector<std::string>& local_hostnames);

}  // namespace gateway::http
