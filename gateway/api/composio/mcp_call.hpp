// A tools/call of an MCP client: an event stream with its progress and, last, its result. io thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/api/composio/run_table.hpp"
#include "gateway/api/composio/workbench.hpp"
#include "gateway/http/request.hpp"

namespace gateway::api::composio {

// A call as its client knows it.
struct mcp_call {
    std::string id;              // of the request, JSON text
    std::string progress_token;  // JSON text; empty: no progress is wanted
    shared_session session;
    shared_watch watch;
    bool cancelled = false;
};
using shared_mcp_call = std::shared_ptr<mcp_call>;

struct mcp_pace {
    milliseconds progress;
    milliseconds keep_alive;
};

// A stream that a cancelled call ends without a result, as the protocol has it.
http::body_source mcp_stream(shared_mcp_call of, mcp_pace pace);

// The calls under way by client and request id, so that a notification can cancel them.
class mcp_calls {
  public:
    void add(const std::string& client, const shared_mcp_call& call);
    // Interrupts the cell, or tells the toolkit. Nothing when there is no such call (any more).
    awaitable<void> cancel(std::string client, std::string id);

  private:
    // A run does not end with its client's connection, and can be cancelled without it.
    struct entry {
        std::weak_ptr<mcp_call> call;
        shared_session session;
        std::shared_ptr<run> what;
    };
    std::map<std::string, entry> calls_;
};

}  // namespace gateway::api::composio
