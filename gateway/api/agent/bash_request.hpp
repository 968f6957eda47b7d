// What a caller asks to run in the shell: the body of POST …/bash and the params of the socket's bash. Pure.
#pragma once

#include <cstdint>

#include "gateway/api/agent/request_object.hpp"
#include "gateway/base/result.hpp"
#include "gateway/sessions/command.hpp"

namespace gateway::api::agent {

enum class bash_form : std::uint8_t {
    rest,    // stdin is empty unless it is given
    socket,  // stdin stays open unless it is given
};

result<sessions::command_options> parse_bash(request_object& object, bash_form form);

}  // namespace gateway::api::agent
