#include "gateway/server/network.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace gateway::server {
namespace {

using nlohmann::json;

constexpr std::string_view preset = "preset:";

// "…:443": the port, which is taken off; nothing when there is none.
std::optional<unsigned> take_port(std::string& text, std::size_t from) {
    const auto colon = text.find(':', from);
    if (colon == text.npos) return std::nullopt;
    unsigned port = 0;
    const char* last = text.data() + text.size();
    auto [end, ec] = std::from_chars(text.data() + colon + 1, last, port);
    text.resize(colon);
    return ec == std::errc() && end == last ? port : 0;  // 0 is refused as a port is
}

json rule_of(std::string text) {
    if (text.starts_with(preset)) return {{"preset", text.substr(preset.size())}};
    const auto slash = text.find('/');
    const auto port = take_port(text, slash == text.npos ? 0 : slash);
    json made = {{slash == text.npos ? "host" : "cidr", text}};
    if (port) made["ports"] = {*port};
    return made;
}

result<egress::policy> to_policy(const config::network_section& from) {
    json made = {{"mode", from.mode}};
    if (from.max_bytes > 0) made["max_bytes"] = static_cast<std::uint64_t>(from.max_bytes);
    if (from.mode == "allow") made["allow"] = json::array();
    for (const auto& each : from.allow) made["allow"].push_back(rule_of(each));
    return egress::parse_policy(made, static_cast<std::size_t>(from.max_rules));
}

}  // namespace

result<sessions::network_rules> to_network_rules(const config::config& from) {
    const auto& network = from.network;
    auto usual = to_policy(network);
    if (!usual) return failure{errc::invalid_request, "the configuration's network.allow: " + usual.error().message};
    sessions::network_rules made;
    made.agents_have_own = network.agents == "own";
    made.jupyter_has_own = network.jupyter == "own";
    made.usual = std::move(*usual);
    for (const auto& each : network.allow_networks)
        made.limits.reach.named.push_back(outbound::parse_network(each).value());
    made.limits.max_connections = static_cast<std::size_t>(network.max_connections);
    made.limits.max_head_bytes = static_cast<std::size_t>(network.max_head_bytes);
    made.limits.max_hello_bytes = static_cast<std::size_t>(network.max_hello_bytes);
    made.limits.max_destinations = static_cast<std::size_t>(network.max_destinations);
    made.limits.buffer_bytes = static_cast<std::size_t>(network.buffer_bytes);
    made.limits.head_timeout = std::chrono::seconds(network.head_timeout_s);
    made.limits.connect_timeout = std::chrono::seconds(network.connect_timeout_s);
    made.limits.idle_timeout = std::chrono::seconds(network.idle_timeout_s);
    return made;
}

std::vector<kernels::pool_size> to_pool_sizes(const config::config& from) {
    std::vector<kernels::pool_size> all;
    for (const auto& [name, count] : from.kernels.pool)
        all.push_back({name, static_cast<int>(count), from.network.agents == "own"});
    for (const auto& [name, count] : from.kernels.jupyter_pool)
        all.push_back({name, static_cast<int>(count), from.network.jupyter == "own"});
    return all;
}

}  // namespace gateway::server
