// The way out of a session that has a network of its own: one proxy over all its kernels.
#include <sys/socket.h>

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/live_session.hpp"
#include "gateway/sessions/network_events.hpp"

namespace gateway::sessions {

failure no_own_network(origin who) {
    const std::string setting = who == origin::jupyter ? "network.jupyter" : "network.agents";
    return {errc::conflict,
            "this session is in the machine's network, where no policy holds: leave network out, or set " + setting +
                " to \"own\" in the gateway's configuration"};
}

egress::policy live_session::network_policy() const { return parts_.options.network.value_or(parts_.network.usual); }

// For the kernel that there is now.
void live_session::lead_out() {
    if (!parts_.kernel.own_network) return;
    if (!network_) network_ = make_network();
    auto serve = [ex = parts_.ex, network = network_](::kernel::file_descriptor listener) {
        if (!listener) return network->close_listener();
        try {
            const asio::generic::stream_protocol protocol(AF_INET, 0);
            network->serve(egress::acceptor(ex, protocol, listener.get()));
            listener.release();
        } catch (const boost::system::system_error& error) {
            log::error("a session has no way out: {}", error.what());
        }
    };
    kernel_->on_proxy_listener(std::move(serve));
}

std::shared_ptr<egress::proxy> live_session::make_network() {
    egress::meter_events tell;
    tell.denied = [weak = weak_from_this()](const egress::destination& to, egress::denial why) {
        if (auto self = weak.lock()) self->log_event("network_denied", "", network_denied_body(to, why));
    };
    tell.used_up = [weak = weak_from_this()](std::uint64_t max_bytes) {
        if (auto self = weak.lock()) self->log_event("network_used_up", "", network_used_up_body(max_bytes));
    };
    auto limits = parts_.network.limits;
    if (parts_.network.make_resolver) limits.names = parts_.network.make_resolver();
    return std::make_shared<egress::proxy>(parts_.ex, network_policy(), std::move(limits), std::move(tell));
}

}  // namespace gateway::sessions
