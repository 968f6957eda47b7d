#include "gateway/egress/policy.hpp"

#include <algorithm>

#include "gateway/egress/preset.hpp"

namespace gateway::egress {
namespace {

bool fits(std::string_view pattern, std::string_view name) {
    if (!pattern.starts_with("*.")) return pattern == name;
    auto suffix = pattern.substr(1);  // with its dot, so that evil-example.com is not below example.com
    return name.size() > suffix.size() && name.ends_with(suffix);
}

bool has_host(const rule& of, const destination& to) {
    if (to.address) return of.network && of.network->contains(*to.address);
    if (!of.preset.empty()) {
        const auto* found = find_preset(of.preset);
        return found && std::any_of(found->hosts.begin(), found->hosts.end(),
                                    [&](std::string_view each) { return fits(each, to.host); });
    }
    return !of.host.empty() && fits(of.host, to.host);
}

bool has_port(const rule& of, std::uint16_t port) {
    if (of.preset.empty()) return std::find(of.ports.begin(), of.ports.end(), port) != of.ports.end();
    const auto* found = find_preset(of.preset);
    return found && std::find(found->ports.begin(), found->ports.end(), port) != found->ports.end();
}

}  // namespace

std::optional<denial> check(const policy& by, const destination& to) {
    if (by.mode == network_mode::none) return denial::network_off;
    if (by.mode == network_mode::all) return std::nullopt;
    bool named = false;
    for (const auto& each : by.allow) {
        if (!has_host(each, to)) continue;
        if (has_port(each, to.port)) return std::nullopt;
        named = true;
    }
    return named ? denial::port_not_allowed : denial::host_not_allowed;
}

}  // namespace gateway::egress
