// JSON-RPC 2.0: frames to calls, results and errors to frames. Pure. https://www.jsonrpc.org/specification
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/agent/request_object.hpp"
#include "gateway/base/result.hpp"

namespace gateway::api::agent {

// Section 5.1 of the specification, and its first code for a server's own errors.
enum class rpc_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    server_error = -32000,
};

struct rpc_error {
    rpc_code code = rpc_code::server_error;
    failure why;
};

struct rpc_call {
    std::string id;  // as JSON text; empty: a notification, which is never answered
    std::string method;
    std::shared_ptr<request_object> params;  // never null, unless malformed
    std::optional<rpc_error> malformed;      // then only the id is good

    bool wants_answer() const { return !id.empty(); }
};

struct rpc_frame {
    bool is_batch = false;
    std::vector<rpc_call> calls;  // one at least
};

// At most this many calls in a batch.
inline constexpr std::size_t most_batch_calls = 1000;

// Keeps nothing of `frame`. Never fails: what is malformed is a call that says so.
rpc_frame parse_rpc(std::string_view frame);

// `result` is JSON text.
std::string rpc_result(const std::string& id, const std::string& result);
// data: {code, status, request_id}.
std::string rpc_failure(const std::string& id, const rpc_error& error, const std::string& request_id);

}  // namespace gateway::api::agent
