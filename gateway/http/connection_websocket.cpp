// How a connection becomes a WebSocket, and ends as one.
#include "gateway/http/authenticator.hpp"
#include "gateway/http/connection.hpp"

namespace gateway::http {

awaitable<bool> connection::serve_websocket(exchange& of) {
    auto& what = of.head.what;
    const auto& route = *of.decision.found;
    if (auto proper = check_handshake(what); !proper) co_return co_await refuse(of, proper.error(), 426);
    failure has_body{errc::invalid_request, "a WebSocket's handshake has no body"};
    if (of.head.has_body) co_return co_await refuse(of, has_body);
    auto offered = read_offered(what);
    auto chosen = co_await route.upgrade.accept(what, offered.names);
    if (!chosen) co_return co_await refuse(of, chosen.error());
    failure revoked{errc::unauthorized, "this key was revoked"};
    failure stopping{errc::unavailable, "the gateway is restarting"};
    if (revoked_ || shared_->stopping) co_return co_await refuse(of, revoked_ ? revoked : stopping);
    auto options = make_upgrade_options(of);
    options.subprotocol = chosen->empty() && offered.had_token ? std::string(token_subprotocol) : *chosen;
    log_access(of, 101);
    answering_ = true;
    stream_.push_back(reader_.take_rest());
    stream_.set_peer_timeout(milliseconds(0));  // from here on liveness judges
    auto upgraded = co_await accept_websocket(stream_, shared_from_this(), what, std::move(options));
    if (!upgraded) co_return false;
    auto socket = *upgraded;
    websocket_ = socket;
    if (revoked_) close_key(key_id_);
    if (shared_->stopping) begin_close();
    co_await route.upgrade.serve(what, *socket);
    // Not 1000: JupyterLab takes that for the kernel's end and does not come back.
    co_await socket->close(close_code::internal_error, "the gateway ended this connection");
    co_await socket->join();
    co_return false;
}

upgrade_options connection::make_upgrade_options(const exchange& of) const {
    upgrade_options options;
    options.max_message_bytes = shared_->options.ws_max_message_bytes;
    options.ping_interval = std::chrono::seconds(shared_->options.ws_ping_interval_s);
    options.headers = of.decision.headers;
    options.headers.emplace_back("X-Request-Id", request_id_);
    return options;
}

}  // namespace gateway::http
