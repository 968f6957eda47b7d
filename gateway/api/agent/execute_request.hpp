// What a caller asks to run: the body of POST …/execute and the params of the socket's execute. Pure.
#pragma once

#include <cstdint>

#include "gateway/api/agent/request_object.hpp"
#include "gateway/base/result.hpp"
#include "gateway/sessions/cell.hpp"

namespace gateway::api::agent {

enum class execute_form : std::uint8_t {
    rest,    // current_step, current_step_metric; no stdin
    socket,  // allow_stdin
};

// Moves the code out of `object`.
result<sessions::execute_options> parse_execute(request_object& object, execute_form form);

}  // namespace gateway::api::agent
