// What REST and the WebSocket both do with a command that runs: its signals and its stdin. io thread.
#pragma once

#include "gateway/api/agent/fields.hpp"
#include "gateway/base/result.hpp"
#include "gateway/sessions/shell.hpp"

namespace gateway::api::agent {

struct signal_call {
    int number = 0;
};
struct stdin_call {
    std::string data;
    bool eof = false;
};

// Each takes its own fields; the caller takes the rest, and finishes.
signal_call parse_signal(fields& from);
stdin_call parse_stdin(fields& from);

}  // namespace gateway::api::agent
