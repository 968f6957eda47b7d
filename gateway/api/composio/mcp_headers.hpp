// What the headers of an MCP request say, and whether its body says the same (revision 2026-07-28, "Server
// Validation"). Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "gateway/api/composio/mcp_message.hpp"
#include "gateway/http/request.hpp"

namespace gateway::api::composio {

inline constexpr const char* client_header = "mcp-session-id";

struct header_problem {
    int status = 400;
    int code = 0;  // of JSON-RPC; 0: the problem is one of HTTP alone
    std::string text;
    std::string data;  // of the JSON-RPC error, JSON; empty: none
};

// What is wrong with the request as HTTP; before its body is read.
std::optional<header_problem> check_http(const http::request& from);
// Whether the request carries its own revision, instead of one that initialize agreed on.
bool stands_alone(const http::request& from, const client_message& what);
// What is wrong with a request that stands alone.
std::optional<header_problem> check_metadata(const http::request& from, const client_message& what);

}  // namespace gateway::api::composio
