#include "gateway/outbound/lookup.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>

namespace gateway::outbound {
namespace {

using boost::system::error_code;

// getaddrinfo cannot be cancelled: whoever waits leaves at the deadline, and the lookup ends when it ends.
struct lookup {
    explicit lookup(const executor& ex) : resolver(ex), done(ex) {}
    asio::ip::tcp::resolver resolver;
    event done;
    std::optional<error_code> ended;
    addresses found;
};

std::shared_ptr<lookup> start_lookup(const executor& ex, const std::string& host) {
    auto state = std::make_shared<lookup>(ex);
    auto finished = [state](error_code ec, const asio::ip::tcp::resolver::results_type& results) {
        for (const auto& each : results) state->found.push_back(each.endpoint().address());
        state->ended = ec;
        state->done.notify_all();
    };
    state->resolver.async_resolve(host, "", std::move(finished));
    return state;
}

}  // namespace

awaitable<result<addresses>> look_up(executor ex, const resolver& names, std::string host, milliseconds limit,
                                     std::string what) {
    error_code not_an_address;
    auto literal = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) co_return addresses(1, literal);
    if (names) co_return co_await with_timeout(names(host), limit, "resolving the host of " + what);
    auto state = start_lookup(ex, host);
    co_await state->done.wait_for(limit);
    if (!state->ended) co_return failure{errc::timeout, "resolving the host of " + what + " took too long"};
    if (*state->ended)
        co_return failure{errc::unavailable, "cannot resolve the host of " + what + ": " + state->ended->message()};
    co_return state->found;
}

}  // namespace gateway::outbound
