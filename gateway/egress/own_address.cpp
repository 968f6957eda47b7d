#include "gateway/egress/own_address.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace gateway::egress {
namespace {

namespace ip = boost::asio::ip;

bool is_same(const sockaddr* left, const ip::address& right) {
    if (!left) return false;
    if (left->sa_family == AF_INET && right.is_v4()) {
        sockaddr_in have{};
        std::memcpy(&have, left, sizeof have);
        return ntohl(have.sin_addr.s_addr) == right.to_v4().to_uint();
    }
    if (left->sa_family != AF_INET6 || !right.is_v6()) return false;
    sockaddr_in6 have{};
    std::memcpy(&have, left, sizeof have);
    auto bytes = right.to_v6().to_bytes();
    return std::equal(bytes.begin(), bytes.end(), have.sin6_addr.s6_addr);
}

}  // namespace

bool is_own_address(const ip::address& which) {
    auto meant = which;
    if (which.is_v6() && which.to_v6().is_v4_mapped()) meant = ip::make_address_v4(ip::v4_mapped, which.to_v6());
    ifaddrs* listed = nullptr;
    if (::getifaddrs(&listed) != 0) return true;
    std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(listed, ::freeifaddrs);
    for (auto* each = listed; each; each = each->ifa_next)
        if (is_same(each->ifa_addr, meant)) return true;
    return false;
}

}  // namespace gateway::egress
