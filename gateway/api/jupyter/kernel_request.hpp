// The body of POST /api/kernels, checked. A value; pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::api::jupyter {

struct kernel_request {
    std::string name;         // empty: the default kernel
    std::string kernel_id;    // a UUID chosen by the client (the body's kernel_id, or KERNEL_ID); empty: ours
    std::string working_dir;  // KERNEL_WORKING_DIR, or the body's path; empty: none
    std::string username;     // KERNEL_USERNAME
    std::map<std::string, std::string> env;  // what the kernel gets of the client's env
};

// An empty body asks for the default kernel. Of `env` the names that match one of `client_env` are taken and the others
// ignored: jupyter_server sends what its own allow-list lets through. A taken value is a string of at most 4,096
// characters without ` $ newline, carriage return and NUL, else the failure names its key. Unknown fields are ignored.
result<kernel_request> parse_kernel_request(std::string_view body, const std::vector<std::string>& client_env);

// More than that is no model of a kernel or a session.
inline constexpr std::size_t most_body_bytes = 1u << 20;
// Before a body is parsed: its size, its UTF-8, its syntax and its depth.
result<void> check_body(std::string_view body);

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

}  // namespace gateway::api::jupyter
