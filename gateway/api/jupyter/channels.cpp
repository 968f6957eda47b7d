// WS /api/kernels/{id}/channels: who may open it, in which form, and to which session it leads.
#include "gateway/api/jupyter/channel_connection.hpp"
#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernel_access.hpp"

namespace gateway::api::jupyter {
namespace {

using subprotocol_choice = awaitable<result<std::string>>;

// Before the 101: an unknown kernel is a plain 404, so that a client need not guess from a close code.
subprotocol_choice accept(context& with, const http::request& from, const std::vector<std::string>& offered) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) co_return found.error();
    co_return choose_subprotocol(offered);
}

awaitable<void> serve(context& with, const http::request& from, http::websocket& ws) {
    auto found = find_kernel(with, from.caller, from.parameters.at(0));
    if (!found) {
        co_await ws.close(http::close_code::normal, "kernel deleted");
        co_return;
    }
    channel_options options;
    options.form = choose_framing(ws.subprotocol(), from.header("user-agent"), with.options.binary_to_legacy_clients);
    options.pool = with.options.pool;
    options.stay_when_replaced = is_gateway_client(ws.subprotocol(), from.header("user-agent"));
    auto client = found->owner->connect(from.find_query("session_id").value_or(""), found->kernel_id());
    // The session is kept by `found` while it is served.
    auto ex = co_await asio::this_coro::executor;
    channel_connection connection(ex, ws, std::move(client), options, with.counters);
    co_await connection.run();
}

}  // namespace

void add_channel_routes(http::router& routes, const std::shared_ptr<context>& with) {
    http::route added;
    added.method = "WS";
    added.pattern = "/api/kernels/{}/channels";
    added.needed = http::scope::execute;
    added.errors = http::error_style::jupyter;
    added.upgrade.accept = [with](const http::request& from, const std::vector<std::string>& offered) {
        return accept(*with, from, offered);
    };
    added.upgrade.serve = [with](const http::request& from, http::websocket& ws) { return serve(*with, from, ws); };
    routes.add(std::move(added));
}

}  // namespace gateway::api::jupyter
