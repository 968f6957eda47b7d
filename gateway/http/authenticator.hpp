// Credentials to principal. io thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/principal.hpp"
#include "gateway/http/request.hpp"

namespace gateway::http {

// Every place a request can carry a key in, the first that is there: Authorization (`token` or `Bearer`, any case),
// x-api-key, x-session-access-key, ?token=, and JEP 121's WebSocket subprotocol
// v1.token.websocket.jupyter.org.<urlencoded key>.
std::optional<std::string> find_key(const request& from);
// Only from headers: a page of another origin can send those only after a preflight, unlike a query or a WebSocket.
std::optional<std::string> find_header_key(const request& from);
inline constexpr std::string_view token_subprotocol = "v1.token.websocket.jupyter.org";

class authenticator {
  public:
    virtual ~authenticator() = default;
    // The principal of `key`; nullopt when it is unknown or revoked. With auth = "none" everyone is admin.
    virtual std::optional<principal> find(const std::optional<std::string>& key) = 0;
    // False with auth = "none": then a key proves nothing, and pages of other origins stay out whatever they send.
    virtual bool requires_key() const { return true; }
};

}  // namespace gateway::http
