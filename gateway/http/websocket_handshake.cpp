// What is read off a WebSocket's handshake before Beast sees it.
#include "gateway/http/authenticator.hpp"
#include "gateway/http/text.hpp"
#include "gateway/http/websocket_upgrade.hpp"

namespace gateway::http {

offered_subprotocols read_offered(const request& from) {
    offered_subprotocols offered;
    auto [begin, end] = from.headers.equal_range("sec-websocket-protocol");
    for (auto at = begin; at != end; ++at)
        for (auto name : split_list(at->second)) {
            if (!name.starts_with(token_subprotocol)) {
                offered.names.emplace_back(name);
            } else {
                offered.had_token = true;
            }
        }
    return offered;
}

result<void> check_handshake(const request& from) {
    if (from.header("sec-websocket-version") != "13")
        return failure{errc::invalid_request, "the WebSocket version must be 13 (RFC 6455)"};
    if (from.header("sec-websocket-key").size() != 24)
        return failure{errc::invalid_request, "Sec-WebSocket-Key must be 16 bytes in base64"};
    return {};
}

}  // namespace gateway::http
