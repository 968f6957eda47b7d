// Routes as data: method and pattern to handler. Built once by main, then read only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http/request.hpp"
#include "gateway/http/websocket.hpp"

namespace gateway::http {

enum class error_style {
    jupyter,   // the agent form, and beside it "message" and "reason": what jupyter_server's clients read
    agent,     // {"error": {"code", "message", "status", "request_id"}}
    composio,  // the agent form, and inside it "slug" and "suggested_fix": what the Composio SDKs show
};

struct route {
    std::string method;   // "GET", …; "WS" for a WebSocket
    std::string pattern;  // "/api/kernels/{}/channels"; {} is one path segment, a last {*} the rest of the path
    scope needed = scope::execute;
    error_style errors = error_style::jupyter;
    bool takes_session_key = false;  // also the own key of the session whose id is the first parameter
    std::size_t max_body_bytes = 0;  // 0: server_options' own limit
    bool streams_body = false;       // the handler reads request::body_pieces, of any size; else the body comes whole
    bool any_name = false;           // control characters may be in the path: it ends in a file's name
    http::admit admit;               // asked before the body is read
    http::handler handle;            // for a plain request
    http::websocket_route upgrade;   // for "WS"
};

class router {
  public:
    void add(route what);

    struct match {
        const route* found = nullptr;
        std::vector<std::string> parameters;
        std::vector<std::string> allowed;  // methods of the routes whose pattern fits; for 405 and OPTIONS
    };
    // `path` is without base_url and still percent-encoded, so that %2F stays inside its segment; parameters come
    // decoded. A HEAD without a route of its own is its GET; one slash at the end is ignored.
    match find(std::string_view method, std::string_view path) const;
    const std::vector<route>& routes() const;

  private:
    std::vector<route> routes_;
};

// The answer for a failure in the shape that the route's clients expect; docs/api.md lists the codes. `status` replaces
// the code's own where HTTP has a narrower one (408, 426, 431).
response error_response(const failure& why, error_style style, const std::string& request_id, int status = 0);
// "Not Found" for 404.
std::string_view reason_phrase(int status);
response json_response(std::string json, int status = 200);
response empty_response(int status = 204);

}  // namespace gateway::http
