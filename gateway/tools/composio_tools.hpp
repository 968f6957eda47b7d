// Tools of a Composio account, as one more place where tool calls go: their key stays in the gateway. In front of the
// toolkits' tools. Owned by main; io thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/outbound/address_policy.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::tools {

struct composio_options {
    std::string base_url = "https://backend.composio.dev";
    std::string api_key;                // empty: there is no such account
    std::vector<std::string> toolkits;  // "github": all of its tools
    std::vector<std::string> tools;     // "GMAIL_SEND_EMAIL": these besides
    std::string user_id;                // whose connections are used; empty: those of the session's own user ID
    milliseconds timeout{60'000};
    std::size_t max_result_bytes = 16u << 20;  // of one answer
    milliseconds keep_list{600'000};           // before the tools are listed again
    outbound::address_policy reach = outbound::address_policy::configured();
};

// Everything that is not of the account goes to `others`, which outlives it. A tool is called only if it is in the
// configured lists. Nothing is tried again: a call may have had its effect.
std::unique_ptr<toolbox> make_composio_tools(executor ex, toolbox& others, composio_options options);

}  // namespace gateway::tools
