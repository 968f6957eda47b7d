#include "gateway/kernels/kernel_state.hpp"

namespace gateway::kernels {

const char* to_string(kernel_state state) {
    switch (state) {
        case kernel_state::starting:
            return "starting";
        case kernel_state::idle:
            return "idle";
        case kernel_state::busy:
            return "busy";
        case kernel_state::restarting:
            return "restarting";
        case kernel_state::dead:
            return "dead";
    }
    return "dead";
}

const char* to_string(end_reason reason) {
    switch (reason) {
        case end_reason::none:
            return "";
        case end_reason::crashed:
            return "crashed";
        case end_reason::killed:
            return "killed";
        case end_reason::oom:
            return "oom";
        case end_reason::deadline:
            return "deadline";
        case end_reason::restarted:
            return "restarted";
        case end_reason::start_failed:
            return "start_failed";
        case end_reason::culled:
            return "culled";
        case end_reason::session_ended:
            return "session_ended";
        case end_reason::gateway_ended:
            return "gateway_ended";
    }
    return "";
}

const char* to_string(transport which) { return which == transport::ipc ? "ipc" : "tcp"; }

}  // namespace gateway::kernels
