// JSON-RPC as an MCP server reads and writes it (revision 2026-07-28, "Base Protocol" and "Tools", and those before
// it). Pure; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/tool_call.hpp"

namespace gateway::api::composio {

inline constexpr int rpc_parse_error = -32700;
inline constexpr int rpc_invalid_request = -32600;
inline constexpr int rpc_method_not_found = -32601;
inline constexpr int rpc_invalid_params = -32602;
inline constexpr int rpc_internal_error = -32603;
inline constexpr int rpc_header_mismatch = -32020;       // 2026-07-28
inline constexpr int rpc_unsupported_revision = -32022;  // data: {"supported", "requested"}

// Its requests stand alone: no initialize, no Mcp-Session-Id, and a client that leaves means to cancel.
inline constexpr std::string_view newest_revision = "2026-07-28";

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
std::vector<std::string> known_revisions();  // the newest first

std::string rpc_result(const std::string& id, const nlohmann::json& result);
// `data`: JSON; empty: none.
std::string rpc_error(const std::string& id, int code, const std::string& text, const std::string& data = "");
std::string rpc_notification(const char* method, const nlohmann::json& params);

// What a server says of itself.
struct server_words {
    std::string title;
    std::string instructions;
};
// Of initialize: the client's revision where we speak it, otherwise the newest that begins so.
nlohmann::json initialize_result(const nlohmann::json& params, const server_words& of);
// Of server/discover.
nlohmann::json discover_result(const server_words& of);
// Of tools/list.
nlohmann::json tools_result(const std::vector<listed_tool>& from);

// How a tool's outcome is written into the result of tools/call, which has the images beside it.
enum class result_form : std::uint8_t {
    enveloped,   // the text {"successful", "data", "error"}: what clients of the tool router take apart
    structured,  // the data as structuredContent and as text; with "error": {"code", "message"} when it failed
};
nlohmann::json call_result(const tool_outcome& from, result_form form);

}  // namespace gateway::api::composio
