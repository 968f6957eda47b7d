#include "gateway/outbound/address_policy.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace gateway::outbound {
namespace {

enum class kind : std::uint8_t { open, loopback, private_network, credentials, special };

struct range {
    const char* network;
    kind means;
};

// IANA's special-purpose registries, as far as they are not globally reachable, and where clouds serve the credentials
// of a machine. The first that fits counts.
constexpr range v4_ranges[] = {
    {"169.254.0.0/16", kind::credentials},    {"100.100.100.200/32", kind::credentials},
    {"192.0.0.192/32", kind::credentials},    {"168.63.129.16/32", kind::credentials},
    {"127.0.0.0/8", kind::loopback},          {"10.0.0.0/8", kind::private_network},
    {"172.16.0.0/12", kind::private_network}, {"192.168.0.0/16", kind::private_network},
    {"100.64.0.0/10", kind::private_network}, {"0.0.0.0/8", kind::special},
    {"192.0.0.0/24", kind::special},          {"192.0.2.0/24", kind::special},
    {"192.88.99.0/24", kind::special},        {"198.18.0.0/15", kind::special},
    {"198.51.100.0/24", kind::special},       {"203.0.113.0/24", kind::special},
    {"224.0.0.0/3", kind::special},  // multicast and reserved
};
// Only 2000::/3 has been given out at all.
constexpr range v6_ranges[] = {
    {"fd00:ec2::/32", kind::credentials},           // AWS: instances' ::254, pods' ::23
    {"fd20:ce::254/128", kind::credentials},        // Google
    {"fd00:c1::a9fe:a9fe/128", kind::credentials},  // Oracle
    {"fd00:42::42/128", kind::credentials},         // Scaleway
    {"fd00:100::100:200/128", kind::credentials},   // Alibaba
    {"fd00:a9fe:a9fe::1/128", kind::credentials},   // Akamai
    {"fe80::/10", kind::credentials},
    {"::1/128", kind::loopback},
    {"fc00::/7", kind::private_network},
    {"2001::/23", kind::special},
    {"2001:db8::/32", kind::special},
    {"3fff::/20", kind::special},
    {"2000::/3", kind::open},
    {"::/0", kind::special},
};

bool is_in(const char* range, const asio::ip::address& address) { return parse_network(range)->contains(address); }

asio::ip::address embedded(const asio::ip::address_v6& address, std::size_t at) {
    auto bytes = address.to_bytes();
    return asio::ip::address_v4({bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]});
}

// What it stands for: the IPv4 address in one that is mapped, NAT64's or 6to4's.
asio::ip::address meant_by(const asio::ip::address& address) {
    if (address.is_v4()) return address;
    auto v6 = address.to_v6();
    if (v6.is_v4_mapped() || is_in("64:ff9b::/96", address)) return embedded(v6, 12);
    if (is_in("2002::/16", address)) return embedded(v6, 2);
    v6.scope_id(0);
    return v6;
}

kind kind_of(const asio::ip::address& address) {
    auto find = [&](const auto& ranges) {
        for (const auto& each : ranges)
            if (is_in(each.network, address)) return each.means;
        return kind::open;
    };
    return address.is_v4() ? find(v4_ranges) : find(v6_ranges);
}

bool allows(const address_policy& policy, kind what, const asio::ip::address& where) {
    if (what == kind::credentials) return false;
    if (std::any_of(policy.named.begin(), policy.named.end(), [&](const auto& each) { return each.contains(where); }))
        return true;
    if (what == kind::loopback) return policy.loopback;
    if (what == kind::private_network) return policy.private_networks;
    return what == kind::open;
}

const char* describe(kind what) {
    if (what == kind::loopback) return "a loopback address";
    if (what == kind::private_network) return "an address of a private network";
    if (what == kind::credentials) return "an address of this link, or where clouds serve credentials";
    return "an address for special purposes";
}

}  // namespace

result<void> check(const address_policy& policy, const asio::ip::address& where) {
    auto meant = meant_by(where);
    auto what = kind_of(meant);
    if (allows(policy, what, meant)) return {};
    return failure{errc::forbidden,
                   where.to_string() + " is " + describe(what) + ", which may not be reached from here"};
}

}  // namespace gateway::outbound
