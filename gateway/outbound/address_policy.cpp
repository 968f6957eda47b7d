#include "gateway/outbound/address_policy.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cstdint>
#include <string>

namespace gateway::outbound {
namespace {

enum class kind : std::uint8_t { open, loopback, private_network, link_local, special };

struct range {
    const char* network;
    kind means;
};

// IANA's special-purpose registries, as far as they are not globally reachable. The first that fits counts.
constexpr range v4_ranges[] = {
    {"127.0.0.0/8", kind::loopback},
    {"10.0.0.0/8", kind::private_network},
    {"172.16.0.0/12", kind::private_network},
    {"192.168.0.0/16", kind::private_network},
    {"100.64.0.0/10", kind::private_network},
    {"169.254.0.0/16", kind::link_local},
    {"0.0.0.0/8", kind::special},
    {"192.0.0.0/24", kind::special},
    {"192.0.2.0/24", kind::special},
    {"192.88.99.0/24", kind::special},
    {"198.18.0.0/15", kind::special},
    {"198.51.100.0/24", kind::special},
    {"203.0.113.0/24", kind::special},
    {"224.0.0.0/3", kind::special},  // multicast and reserved
};
constexpr range v6_ranges[] = {
    {"::1/128", kind::loopback},      {"fc00::/7", kind::private_network}, {"fe80::/10", kind::link_local},
    {"::/8", kind::special},          {"100::/64", kind::special},         {"2001::/23", kind::special},
    {"2001:db8::/32", kind::special}, {"3fff::/20", kind::special},        {"fec0::/10", kind::special},
    {"ff00::/8", kind::special},
};

bool contains(const asio::ip::network_v4& network, const asio::ip::address_v4& address) {
    return asio::ip::network_v4(address, network.prefix_length()).canonical() == network.canonical();
}

bool contains(const asio::ip::network_v6& network, const asio::ip::address_v6& address) {
    return asio::ip::network_v6(address, network.prefix_length()).canonical() == network.canonical();
}

kind kind_of(const asio::ip::address_v4& address) {
    for (const auto& each : v4_ranges)
        if (contains(asio::ip::make_network_v4(each.network), address)) return each.means;
    return kind::open;
}

asio::ip::address_v4 embedded(const asio::ip::address_v6& address, std::size_t at) {
    auto bytes = address.to_bytes();
    return asio::ip::address_v4({bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]});
}

kind kind_of(const asio::ip::address_v6& address) {
    if (address.is_v4_mapped()) return kind_of(embedded(address, 12));
    if (contains(asio::ip::make_network_v6("64:ff9b::/96"), address)) return kind_of(embedded(address, 12));
    if (contains(asio::ip::make_network_v6("2002::/16"), address)) return kind_of(embedded(address, 2));
    for (const auto& each : v6_ranges)
        if (contains(asio::ip::make_network_v6(each.network), address)) return each.means;
    return kind::open;
}

bool allows(const address_policy& policy, kind what) {
    if (what == kind::loopback) return policy.loopback;
    if (what == kind::private_network) return policy.private_networks;
    return what == kind::open;
}

const char* describe(kind what) {
    if (what == kind::loopback) return "a loopback address";
    if (what == kind::private_network) return "an address of a private network";
    if (what == kind::link_local) return "a link-local address";
    return "an address for special purposes";
}

}  // namespace

result<void> check(const address_policy& policy, const asio::ip::address& where) {
    auto what = where.is_v4() ? kind_of(where.to_v4()) : kind_of(where.to_v6());
    if (allows(policy, what)) return {};
    return failure{errc::forbidden,
                   where.to_string() + " is " + describe(what) + ", which may not be reached from here"};
}

}  // namespace gateway::outbound
