#include "gateway/egress/dial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/egress/own_address.hpp"

namespace gateway::egress {
namespace {

bool is_named(const outbound::address_policy& reach, const asio::ip::address& which) {
    return std::any_of(reach.named.begin(), reach.named.end(), [&](const auto& each) { return each.contains(which); });
}

// Also a public address may be this machine's: from here no firewall stands before it, and the gateway may listen
// there.
result<void> check_address(const outbound::address_policy& reach, const asio::ip::address& which) {
    auto allowed = outbound::check(reach, which);
    if (!allowed || which.is_loopback() || is_named(reach, which) || !is_own_address(which)) return allowed;
    return failure{errc::forbidden, which.to_string() + " is an address of this machine"};
}

}  // namespace

awaitable<result<void>> dial(executor ex, const options& how, destination to, socket& into) {
    auto found = co_await outbound::look_up(ex, how.names, to.host, how.connect_timeout, to.text());
    if (!found && found.error().code == errc::timeout)
        co_return failure{errc::timeout, found.error().message + " (network.connect_timeout_s)"};
    if (!found) co_return found.error();
    result<void> last = failure{errc::unavailable, fmt::format("{} has no address", to.text())};
    bool tried = false;
    for (const auto& each : *found) {
        auto allowed = check_address(how.reach, each);
        if (!allowed) {
            if (!tried) last = allowed;
            continue;
        }
        tried = true;
        asio::ip::tcp::endpoint where(each, to.port);
        auto what = fmt::format("connecting to {} (network.connect_timeout_s)", to.text());
        last = co_await with_timeout(connect(into, where), how.connect_timeout, what);
        if (last) break;
        if (last.error().code == errc::unavailable)
            last = failure{errc::unavailable, fmt::format("cannot connect to {}: {}", to.text(), last.error().message)};
    }
    co_return last;
}

}  // namespace gateway::egress
