// Where helpers inside kernels reach the gateway: HTTP over a Unix socket whose directory is bound into every box. Each
// call has its session's key in the header x-cellgate-session-key. Owned by main; io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gateway/api/helpers/helper_call.hpp"

namespace gateway::api::helpers {

inline constexpr const char* socket_name = "helper.sock";

class endpoint {
  public:
    // The session that has this key; nothing when there is none.
    using session_finder = std::function<std::optional<std::string>(const std::string& key)>;
    // The answer to a call without a good key, in the form of its route. The body was not read.
    using refusal =
        std::function<http::response(const http::request& from, const std::string& log_id, const failure& why)>;

    struct limits {
        std::size_t large_body_bytes = 64u << 20;  // of a route that takes large ones
        std::size_t body_bytes = 4u << 20;         // of any other; 200,000 characters have at most 2.4 MB as JSON
        std::size_t bodies_bytes = 256u << 20;     // of all large ones at a time
        std::size_t connections = 4096;
    };
    enum class bodies : std::uint8_t { small, large };

    // The socket is DIRECTORY/helper.sock.
    endpoint(executor ex, std::string directory, session_finder find_session);
    endpoint(executor ex, std::string directory, session_finder find_session, limits bounds);
    ~endpoint();

    // A route, before run(). `what` is called for calls with a good key only: the body of any other is not even read.
    // The path may have {} for a segment.
    void add(std::string method, std::string path, helper_handler what);
    void add(std::string method, std::string path, helper_handler what, refusal without_key, bodies size);

    // Makes the directory (0700) if need be, and binds; a socket left there is replaced. io_error.
    result<void> listen();
    // Serves until stop().
    awaitable<void> run();
    // Waits a few seconds for calls, then ends them; removes the socket.
    awaitable<void> stop();

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::api::helpers
