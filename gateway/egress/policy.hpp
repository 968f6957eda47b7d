// What a session may reach: nothing, what a list names, or the public internet. A value; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/egress/denial.hpp"
#include "gateway/egress/destination.hpp"
#include "gateway/outbound/network.hpp"

namespace gateway::egress {

enum class network_mode { none, allow, all };

// One of three: `host`, `network` or `preset`.
struct rule {
    std::string host;                          // exact; "*.example.com" is every name below, not example.com
    std::optional<outbound::network> network;  // for hosts that are addresses; names that resolve into it are no match
    std::string preset;
    std::vector<std::uint16_t> ports;  // ascending; empty for a preset, which has its own

    bool operator==(const rule&) const = default;
};

struct policy {
    network_mode mode = network_mode::none;
    std::vector<rule> allow;                 // of mode allow
    std::optional<std::uint64_t> max_bytes;  // in and out together; none: no ceiling

    bool operator==(const policy&) const = default;
};

// Nothing when `to` may be tried. Which addresses a name may resolve to is outbound::check's, at each connection.
std::optional<denial> check(const policy& by, const destination& to);

// {"mode": "allow", "allow": [{"host": …, "ports": […]}, {"cidr": …}, {"preset": …}], "max_bytes": N}
// invalid_request and unknown_field say where and what to write; more than `max_rules` entries are too_large.
result<policy> parse_policy(const nlohmann::json& from, std::size_t max_rules);
// What parse_policy takes, with every port named.
nlohmann::json to_json(const policy& what);

}  // namespace gateway::egress
