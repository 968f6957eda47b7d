// Jupyter's session model and the bodies that make and change one. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/jupyter/kernel_request.hpp"
#include "gateway/api/jupyter/notebook_sessions.hpp"

namespace gateway::api::jupyter {

// The body of POST (path and type are there) or PATCH (any may be missing).
struct notebook_session_request {
    std::optional<std::string> path;
    std::optional<std::string> name;
    std::optional<std::string> type;
    std::string kernel_id;  // of an existing kernel
    std::optional<kernel_request>
        kernel;  // a kernel by name: another one is started; env and path as in POST /api/kernels
};

result<notebook_session_request> parse_new_session(std::string_view body, const std::vector<std::string>& client_env);
result<notebook_session_request> parse_session_change(std::string_view body,
                                                      const std::vector<std::string>& client_env);

// {"id","path","name","type","kernel"[,"notebook":{"path","name"}]}; `kernel_model` is the kernel's JSON.
std::string session_model(const notebook_session& row, const std::string& kernel_model);

}  // namespace gateway::api::jupyter
