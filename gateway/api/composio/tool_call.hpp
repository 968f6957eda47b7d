// A call of a tool of a session, and what came of it. Values; io thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/composio/meta_tool.hpp"
#include "gateway/base/result.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::composio {

struct tool_call {
    std::string slug;               // trimmed, in upper case
    tools::shared_json arguments;   // an object
    const meta_tool* of = nullptr;  // null: a toolkit's tool
    bool may_offload = false;       // a toolkit's large result may go to a file of the session
    std::string account = {};       // which connected account is meant; empty: not said
};

// The body of POST …/execute {tool_slug, arguments?, account?} or …/execute_meta {slug, arguments?}.
result<tool_call> read_tool_call(const std::string& body, const char* slug_field);
// What can be known to be wrong with the call before anything runs: a tool that is off, missing arguments.
result<void> check_tool_call(const tool_call& what, const configuration& with);
// account of a call, an id or an alias; null is "".
result<std::string> read_account(const nlohmann::json& account);

struct image {
    std::string mime;
    std::string base64;
};

struct tool_outcome {
    std::string data = "{}";  // a JSON object
    std::string error;        // empty on success
    std::string log_id;
    std::vector<image> images;       // what a cell displayed
    std::optional<failure> refused;  // the tool was never called: error has the same text
};

// {"data", "error", "log_id", "result_type"}
std::string execute_answer(const tool_outcome& from);
// `data`, an object, as the outcome of a call that went well.
tool_outcome good_outcome(const nlohmann::json& data);
tool_outcome refused_outcome(const failure& why);
// Out of an execute response of the toolbox.
tool_outcome read_outcome(const result<std::string>& answer);

}  // namespace gateway::api::composio
