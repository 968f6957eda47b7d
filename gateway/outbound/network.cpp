#include "gateway/outbound/network.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <charconv>
#include <string>

namespace gateway::outbound {
namespace {

unsigned short bits_of(const asio::ip::address& address) { return address.is_v4() ? 32 : 128; }

template <class Network, class Address>
bool same_network(const Address& left, const Address& right, unsigned short prefix) {
    return Network(left, prefix).canonical() == Network(right, prefix).canonical();
}

failure refuse(std::string_view text) {
    return {errc::invalid_request, "\"" + std::string(text.substr(0, 100)) +
                                       "\" is no network: write one such as 10.1.0.0/16 or fd12:3456::/32, or an "
                                       "address"};
}

}  // namespace

bool network::contains(const asio::ip::address& address) const {
    if (address.is_v4() != base.is_v4()) return false;
    if (base.is_v4()) return same_network<asio::ip::network_v4>(base.to_v4(), address.to_v4(), prefix);
    return same_network<asio::ip::network_v6>(base.to_v6(), address.to_v6(), prefix);
}

result<network> parse_network(std::string_view text) {
    auto slash = text.find('/');
    boost::system::error_code ec;
    network made;
    made.base = asio::ip::make_address(std::string(text.substr(0, slash)), ec);
    if (ec) return refuse(text);
    made.prefix = bits_of(made.base);
    if (slash == std::string_view::npos) return made;
    auto digits = text.substr(slash + 1);
    auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), made.prefix);
    if (bad != std::errc() || end != digits.data() + digits.size() || made.prefix > bits_of(made.base))
        return refuse(text);
    return made;
}

}  // namespace gateway::outbound
