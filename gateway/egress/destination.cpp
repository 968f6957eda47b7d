#include "gateway/egress/destination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gateway/outbound/host_name.hpp"

namespace gateway::egress {
namespace {

constexpr std::size_t most_name = 253;  // RFC 1035, section 2.3.4, as text
constexpr std::size_t most_label = 63;

failure refuse(std::string why) { return {errc::invalid_request, std::move(why)}; }

// For an error's text: what a program sent may be anything.
std::string shown(std::string_view text) {
    std::string made;
    for (char letter : text.substr(0, 100)) made += 0x20 < letter && letter < 0x7f ? letter : '?';
    return made;
}

bool is_name_char(char letter) {
    return ('a' <= letter && letter <= 'z') || ('0' <= letter && letter <= '9') || letter == '-' || letter == '_';
}

bool is_label(std::string_view label) {
    return !label.empty() && label.size() <= most_label && label.front() != '-' && label.back() != '-' &&
           std::all_of(label.begin(), label.end(), is_name_char);
}

bool has_good_labels(std::string_view name) {
    while (true) {
        auto dot = name.find('.');
        if (!is_label(name.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        name.remove_prefix(dot + 1);
    }
}

result<std::uint16_t> parse_port(std::string_view digits) {
    std::uint16_t port = 0;
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (ec != std::errc() || end != digits.data() + digits.size() || port == 0)
        return refuse(fmt::format("\"{}\" is no port: write a number from 1 to 65535", shown(digits)));
    return port;
}

result<asio::ip::address> parse_v6(std::string_view text) {
    boost::system::error_code ec;
    auto address = asio::ip::make_address_v6(std::string(text), ec);
    if (ec || text.find('%') != std::string_view::npos)
        return refuse(fmt::format("[{}] is no IPv6 address without a scope", shown(text)));
    if (address.is_v4_mapped()) return refuse(fmt::format("[{}] is an IPv4 address: write that", shown(text)));
    return asio::ip::address(address);
}

result<void> set_host(destination& of, std::string_view text) {
    if (text.starts_with('[')) {
        auto address = parse_v6(text.substr(1, text.size() - 2));
        if (!address) return address.error();
        of.address = *address;
        of.host = address->to_string();
        return {};
    }
    boost::system::error_code no_address;
    auto address = asio::ip::make_address_v4(std::string(text), no_address);
    if (!no_address && text.find('\0') == std::string_view::npos) {
        of.address = address;
        of.host = address.to_string();
        return {};
    }
    auto name = parse_name(text);
    if (!name) return name.error();
    of.host = std::move(*name);
    return {};
}

// Where the host ends.
std::size_t host_end(std::string_view text) {
    if (!text.starts_with('[')) return std::min(text.find(':'), text.size());
    auto bracket = text.find(']');
    return bracket == std::string_view::npos ? 0 : bracket + 1;
}

}  // namespace

std::string destination::text() const {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

result<std::string> parse_name(std::string_view text) {
    // Long ones are not looked at: one byte for the last dot.
    if (text.size() > most_name + 1)
        return refuse(
            fmt::format("\"{}…\" is longer than a host name, which has at most {} characters", shown(text), most_name));
    auto name = outbound::normalized_host(std::string(text));
    if (name.size() > most_name || !has_good_labels(name))
        return refuse(
            fmt::format("\"{}\" is no host name: write labels of letters, digits, - and _ with dots between "
                        "them, and names in other scripts as xn--…",
                        shown(text)));
    if (outbound::ends_in_number(name))
        return refuse(fmt::format("\"{}\" ends in a number: write an address as four decimal numbers", shown(text)));
    return name;
}

result<destination> parse_destination(std::string_view text, std::uint16_t default_port) {
    destination made;
    auto end = host_end(text);
    if (auto good = set_host(made, text.substr(0, end)); !good) return good.error();
    auto rest = text.substr(end);
    if (rest.empty() && default_port == 0)
        return refuse(fmt::format("\"{}\" has no port: write HOST:PORT", shown(text)));
    if (rest.empty()) {
        made.port = default_port;
        return made;
    }
    if (rest.front() != ':') return refuse(fmt::format("\"{}\" is not HOST:PORT", shown(text)));
    auto port = parse_port(rest.substr(1));
    if (!port) return port.error();
    made.port = *port;
    return made;
}

}  // namespace gateway::egress
