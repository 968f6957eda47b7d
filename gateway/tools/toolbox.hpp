// Where tool calls go: a slug to the MCP server that has the tool. Owned by main; io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/tools/tool_caller.hpp"

namespace gateway::tools {

// A toolkit is one MCP server: either a command (stdio) or a url (Streamable HTTP).
struct toolkit_options {
    std::string name;  // upper-cased prefix of its slugs: NAME_TOOL
    std::vector<std::string> command;
    std::map<std::string, std::string> env;
    std::string url;
    std::map<std::string, std::string> headers;
    milliseconds timeout{60'000};              // of a call, with what it takes to start the server
    std::size_t max_result_bytes = 16u << 20;  // of one message from the server
};

struct tool_description {
    std::string slug;  // "EVERYTHING_GET_SUM"
    std::string toolkit;
    std::string name;  // as the server calls it: "get-sum"
    std::string description;
    std::string input_schema;             // JSON
    std::vector<std::string> hints = {};  // what its server says of it: "readOnlyHint", …
};

class toolbox {
  public:
    virtual ~toolbox() = default;
    // Calls the tool. The answer is the execute response of docs/tools.md as JSON: {"data", "error", "log_id"} with
    // error null on success; when the tool itself says that it failed, error is what it said. Everything else is a
    // failure (tool_failed, timeout, not_found, invalid_request, unavailable, too_large) with a message for the caller.
    // Calls run side by side; a server that died or hung is restarted, and says so in the failure of the calls it took
    // with it. Cancelled, the server is told. A slug's case does not matter. `arguments_json` is sent as it is, when it
    // is one object. An account is for those toolkits that have
    // several; the others refuse it (invalid_request).
    virtual awaitable<result<std::string>> execute(std::string slug, std::string arguments_json, tool_caller whose) = 0;
    // Starts every server; those that do not start within their timeout are missing.
    virtual awaitable<std::vector<tool_description>> list() = 0;
    virtual bool empty() const = 0;  // nothing is configured
    virtual awaitable<void> stop() = 0;
};

std::unique_ptr<toolbox> make_toolbox(executor ex, std::vector<toolkit_options> toolkits);

}  // namespace gateway::tools
