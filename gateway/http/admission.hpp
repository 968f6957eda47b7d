// Everything that is decided about a request from its head alone, before the body is read or a 101 is sent: target,
// Host, route, Origin, credentials. No I/O; owned by the server; io thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/authenticator.hpp"
#include "gateway/http/cors.hpp"
#include "gateway/http/router.hpp"
#include "gateway/http/server.hpp"

namespace gateway::http {

class admission {
  public:
    // All of them outlive the object.
    static result<admission> make(const server_options& options, const router& routes, authenticator& keys);

    struct decision {
        const route* found = nullptr;    // the route that may handle it, or …
        std::optional<response> answer;  // … what to answer instead
        header_list headers;             // belong on any answer to this request
    };
    // Fills path, parameters, query, caller, and with trust_xheaders remote and secure, of `what`, whose id, method,
    // headers and remote are set. `target` is the request line's.
    decision decide(request& what, std::string_view target) const;

    // Whether `what` asks for a WebSocket; then a "WS" route is looked for first.
    static bool wants_websocket(const request& what);

  private:
    admission(const server_options& options, const router& routes, authenticator& keys, cors origins);

    struct state;
    std::optional<response> read_target(state& of, std::string_view target) const;
    std::optional<response> check_host(state& of) const;
    std::optional<response> find_route(state& of) const;
    std::optional<response> answer_options(state& of) const;
    std::optional<response> check_origin(state& of) const;
    std::optional<response> check_caller(state& of) const;
    std::optional<response> check_session_key(state& of) const;

    const server_options* options_;
    const router* routes_;
    authenticator* keys_;
    cors origins_;
    std::string base_url_;
};

}  // namespace gateway::http
