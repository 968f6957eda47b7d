// Where helpers inside kernels reach the gateway: HTTP over a Unix socket whose directory is bound into every box.
//   POST /v1/tools/execute {tool_slug, arguments, account?}, header x-cellgate-session-key
// Answers are {"data", "error", "log_id"} (docs/tools.md). Owned by main; io thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::helpers {

inline constexpr const char* socket_name = "helper.sock";

class endpoint {
  public:
    // The session that has this key; nothing when there is none.
    using session_finder = std::function<std::optional<std::string>(const std::string& key)>;

    struct limits {
        std::size_t body_bytes = 64u << 20;
        std::size_t connections = 4096;
    };

    // The socket is DIRECTORY/helper.sock. `tools` outlives the endpoint.
    endpoint(executor ex, std::string directory, tools::toolbox& tools, session_finder find_session);
    endpoint(executor ex, std::string directory, tools::toolbox& tools, session_finder find_session, limits bounds);
    ~endpoint();

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
