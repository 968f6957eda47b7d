#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gateway/egress/policy.hpp"
#include "gateway/egress/preset.hpp"

namespace gateway::egress {
namespace {

using nlohmann::json;

constexpr std::uint16_t default_ports[] = {80, 443};
constexpr std::size_t most_ports = 100;
constexpr const char* mode_names[] = {"none", "allow", "all"};
constexpr const char* policy_shape = R"({"mode": "none", "allow" or "all", "allow": […], "max_bytes": N})";
constexpr const char* rule_shape =
    R"({"host": "example.com" or "*.example.com", "ports": [443]}, {"cidr": "203.0.113.0/24"} or {"preset": "pypi"})";

failure refuse(const std::string& where, const std::string& why) {
    return {errc::invalid_request, fmt::format("{}: {}", where, why)};
}

std::string shown(const json& value) {
    auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= 100 ? text : text.substr(0, 100) + "…";
}

result<void> check_members(const json& of, const std::string& where, std::initializer_list<const char*> known,
                           const char* shape) {
    if (!of.is_object()) return refuse(where, fmt::format("write {}", shape));
    for (const auto& [name, value] : of.items())
        if (std::find(known.begin(), known.end(), name) == known.end())
            return failure{errc::unknown_field,
                           fmt::format("{}: there is no field {}: write {}", where, shown(name), shape)};
    return {};
}

result<network_mode> read_mode(const json& from) {
    auto found = from.find("mode");
    if (found != from.end() && found->is_string())
        for (std::size_t at = 0; at < std::size(mode_names); ++at)
            if (*found == mode_names[at]) return static_cast<network_mode>(at);
    return refuse("network.mode", R"(write "none", "allow" or "all")");
}

// 443 and 443.0, which are the same in JSON; 0 for everything else.
std::uint64_t whole_number(const json& from) {
    constexpr double exact = 9007199254740992;  // beyond, not every number is one
    if (from.is_number_unsigned()) return from.get<std::uint64_t>();
    const auto number = from.is_number_float() ? from.get<double>() : 0;
    return number >= 1 && number <= exact && std::floor(number) == number ? static_cast<std::uint64_t>(number) : 0;
}

result<std::optional<std::uint64_t>> read_max_bytes(const json& from) {
    auto found = from.find("max_bytes");
    if (found == from.end() || found->is_null()) return std::optional<std::uint64_t>();
    const auto number = whole_number(*found);
    if (number == 0) return refuse("network.max_bytes", "write a number of bytes from 1 on, or null for no ceiling");
    return std::optional(number);
}

result<std::vector<std::uint16_t>> read_ports(const json& of, const std::string& where) {
    auto found = of.find("ports");
    if (found == of.end()) return std::vector<std::uint16_t>(std::begin(default_ports), std::end(default_ports));
    auto advice = fmt::format("write a list of 1 to {} numbers from 1 to 65535", most_ports);
    if (!found->is_array() || found->empty() || found->size() > most_ports) return refuse(where + ".ports", advice);
    std::vector<std::uint16_t> ports;
    for (const auto& each : *found) {
        const auto number = whole_number(each);
        if (number == 0 || number > 65535) return refuse(where + ".ports", advice);
        ports.push_back(static_cast<std::uint16_t>(number));
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

result<std::string> read_host(const std::string& text, const std::string& where) {
    if (text == "*") return refuse(where + ".host", R"(every host is mode "all", with no "allow")");
    std::string_view name = text;
    bool is_below = name.starts_with("*.");
    if (is_below) name.remove_prefix(2);
    boost::system::error_code no_address;
    asio::ip::make_address(text, no_address);
    if (!no_address) return refuse(where + ".host", fmt::format(R"(write an address as {{"cidr": {}}})", shown(text)));
    auto parsed = parse_name(name);
    if (!parsed) return refuse(where + ".host", parsed.error().message);
    return is_below ? "*." + *parsed : *parsed;
}

result<void> read_kind(rule& into, const std::string& kind, const std::string& text, const std::string& where) {
    if (kind == "host") {
        auto host = read_host(text, where);
        if (!host) return host.error();
        into.host = std::move(*host);
    } else if (kind == "cidr") {
        auto network = outbound::parse_network(text);
        if (!network) return refuse(where + ".cidr", network.error().message);
        into.network = *network;
    } else {
        if (!find_preset(text))
            return refuse(where + ".preset", fmt::format("{} is none of {}", shown(text), preset_names()));
        into.preset = text;
    }
    return {};
}

result<rule> read_rule(const json& from, const std::string& where) {
    auto good = check_members(from, where, {"host", "cidr", "preset", "ports"}, rule_shape);
    if (!good) return good.error();
    auto ports = read_ports(from, where);
    if (!ports) return ports.error();
    rule made;
    std::size_t kinds = 0;
    for (const char* kind : {"host", "cidr", "preset"}) {
        auto found = from.find(kind);
        if (found == from.end()) continue;
        if (!found->is_string()) return refuse(where, fmt::format("{} is a text: write {}", kind, rule_shape));
        auto read = read_kind(made, kind, found->get<std::string>(), where);
        if (!read) return read.error();
        ++kinds;
    }
    if (kinds != 1) return refuse(where, fmt::format("write one of {}", rule_shape));
    if (!made.preset.empty() && from.contains("ports"))
        return refuse(where + ".ports", "a preset has its own ports: leave them out");
    if (made.preset.empty()) made.ports = std::move(*ports);
    return made;
}

result<std::vector<rule>> read_rules(const json& from, network_mode mode, std::size_t max_rules) {
    auto found = from.find("allow");
    if (mode == network_mode::allow && (found == from.end() || !found->is_array()))
        return refuse("network.allow", fmt::format("mode \"allow\" needs a list of {}", rule_shape));
    if (found == from.end()) return std::vector<rule>();
    if (mode != network_mode::allow && *found != json::array())
        return refuse("network.allow",
                      fmt::format("mode {} has no list: write mode \"allow\", or leave it out", shown(from["mode"])));
    if (found->size() > max_rules)
        return failure{errc::too_large,
                       fmt::format("network.allow has {} entries, and network.max_rules allows {}: one "
                                   "\"*.example.com\" covers all names below",
                                   found->size(), max_rules)};
    std::vector<rule> made;
    for (const auto& each : *found) {
        auto one = read_rule(each, fmt::format("network.allow[{}]", made.size()));
        if (!one) return one.error();
        made.push_back(std::move(*one));
    }
    return made;
}

json to_json(const rule& of) {
    if (!of.preset.empty()) return {{"preset", of.preset}};
    json made{{"ports", of.ports}};
    if (of.network)
        made["cidr"] = fmt::format("{}/{}", of.network->base.to_string(), of.network->prefix);
    else
        made["host"] = of.host;
    return made;
}

}  // namespace

result<policy> parse_policy(const json& from, std::size_t max_rules) {
    auto good = check_members(from, "network", {"mode", "allow", "max_bytes"}, policy_shape);
    if (!good) return good.error();
    auto mode = read_mode(from);
    if (!mode) return mode.error();
    auto rules = read_rules(from, *mode, max_rules);
    if (!rules) return rules.error();
    auto ceiling = read_max_bytes(from);
    if (!ceiling) return ceiling.error();
    policy made;
    made.mode = *mode;
    made.allow = std::move(*rules);
    made.max_bytes = *ceiling;
    return made;
}

json to_json(const policy& what) {
    json made{{"mode", mode_names[static_cast<std::size_t>(what.mode)]}};
    if (what.mode == network_mode::allow) {
        made["allow"] = json::array();
        for (const auto& each : what.allow) made["allow"].push_back(to_json(each));
    }
    if (what.max_bytes) made["max_bytes"] = *what.max_bytes;
    return made;
}

}  // namespace gateway::egress
