// What an agent may call over its socket. io thread.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/agent/rpc.hpp"
#include "gateway/base/async.hpp"

namespace gateway::api::agent {

class agent_socket;

struct method_outcome {
    std::string result;  // JSON text
    std::optional<rpc_error> error;
};

method_outcome answer_with(const nlohmann::json& what);
method_outcome bad_params(failure why);
method_outcome fail_with(failure why);

// `socket` outlives the call, which may move the code out of `params`.
awaitable<method_outcome> call_method(agent_socket& socket, std::string method, std::shared_ptr<request_object> params);
std::vector<std::string> method_names();

}  // namespace gateway::api::agent
