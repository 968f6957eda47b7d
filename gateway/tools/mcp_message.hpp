// JSON-RPC 2.0 as the Model Context Protocol uses it (revision 2025-06-18, "Base Protocol"): text to message and back.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/tools/json_text.hpp"

namespace gateway::tools {

struct mcp_message {
    enum class kind {
        answer,
        request,
        notification,
        unreadable,  // an answer, nobody knows to what; error says why
    };
    kind what = kind::notification;
    std::optional<std::uint64_t> number;  // of our request, in an answer
    std::string id;                       // JSON text of the id, in a request
    std::string method;
    shared_json result;  // null when the answer is an error
    int error_code = 0;
    std::string error;

    bool operator==(const mcp_message&) const = default;
};

// The messages of one text, which is one message or (revision 2025-03-26) an array of them. What is no message is left
// out: servers print all sorts of things. An answer that cannot be read is an error that says so.
std::vector<mcp_message> decode_mcp(std::string_view text);

// `params` is JSON, an object.
std::string encode_request(std::uint64_t number, std::string_view method, std::string_view params);
std::string encode_notification(std::string_view method, std::string_view params);
std::string encode_answer(std::string_view id, std::string_view result);
std::string encode_refusal(std::string_view id, int code, std::string_view message);

inline constexpr int rpc_method_not_found = -32601;
inline constexpr int rpc_invalid_params = -32602;

}  // namespace gateway::tools
