// JSON-RPC as an MCP server reads and writes it (revision 2025-11-25, "Base Protocol" and "Tools"). Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/tool_call.hpp"

namespace gateway::api::composio {

inline constexpr int rpc_parse_error = -32700;
inline constexpr int rpc_invalid_request = -32600;
inline constexpr int rpc_method_not_found = -32601;
inline constexpr int rpc_invalid_params = -32602;
inline constexpr int rpc_internal_error = -32603;

struct client_message {
    std::string id;             // as JSON text; empty: it wants no answer
    std::string method;         // empty: an answer of the client's
    tools::shared_json params;  // an object

    bool is_request() const { return !id.empty() && !method.empty(); }
};

struct message_problem {
    int code = rpc_parse_error;
    std::string text;
};

// `problem` says why there is no message.
std::optional<client_message> read_client_message(const std::string& body, message_problem& problem);

// Whether this gateway speaks the revision.
bool is_known_revision(std::string_view revision);

std::string rpc_result(const std::string& id, const nlohmann::json& result);
std::string rpc_error(const std::string& id, int code, const std::string& text);
std::string rpc_notification(const char* method, const nlohmann::json& params);

// Of initialize: the client's revision where we speak it, otherwise the newest.
nlohmann::json initialize_result(const nlohmann::json& params);
// Of tools/list.
nlohmann::json tools_result(const std::vector<listed_tool>& from);
// Of tools/call: {"successful", "data", "error"} as JSON text, and the images.
nlohmann::json call_result(const tool_outcome& from);

}  // namespace gateway::api::composio
