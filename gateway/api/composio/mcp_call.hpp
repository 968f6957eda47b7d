// A tools/call of an MCP client: an event stream with its progress and, last, its result. io thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway/api/composio/mcp_message.hpp"
#include "gateway/api/composio/run_table.hpp"
#include "gateway/api/composio/workbench.hpp"
#include "gateway/http/request.hpp"

namespace gateway::api::composio {

// A call as its client knows it.
struct mcp_call {
    std::string id;              // of the request, JSON text
    std::string progress_token;  // JSON text; empty: no progress is wanted
    shared_session session;      // null: none, or none yet
    shared_watch watch;
    result_form form = result_form::enveloped;
    bool ends_with_client = false;  // a client that leaves means to cancel
    bool cancelled = false;
};
using shared_mcp_call = std::shared_ptr<mcp_call>;

struct mcp_pace {
    milliseconds progress;
    milliseconds keep_alive;
};

// The calls under way by client and request id, so that a notification can cancel them.
class mcp_calls {
  public:
    explicit mcp_calls(executor ex) : cancels_(std::move(ex)) {}

    void add(const std::string& client, const shared_mcp_call& call);
    // Interrupts the cell, or tells the toolkit. Nothing when there is no such call (any more).
    awaitable<void> cancel(std::string client, std::string id);
    // The same, of a call whose client has left.
    void abandon(const mcp_call& call);
    // Waits for what is being cancelled.
    awaitable<void> stop();

  private:
    // A run does not end with its client's connection, and can be cancelled without it.
    struct entry {
        std::weak_ptr<mcp_call> call;
        shared_session session;
        std::shared_ptr<run> what;
    };
    static awaitable<void> end(shared_session session, std::shared_ptr<run> what);

    std::map<std::string, entry> calls_;
    task_group cancels_;
};

// A stream that a cancelled call ends without a result, as the protocol has it. `among` outlives it.
http::body_source mcp_stream(shared_mcp_call of, mcp_pace pace, mcp_calls& among);

}  // namespace gateway::api::composio
