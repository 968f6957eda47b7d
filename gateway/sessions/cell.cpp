#include "gateway/sessions/cell.hpp"

#include <array>

namespace gateway::sessions {

const char* to_string(origin who) { return who == origin::agent ? "agent" : "jupyter"; }

const char* to_string(cell_status status) {
    constexpr std::array names{"queued", "running", "ok", "error", "timeout", "interrupted", "cancelled", "lost"};
    return names[static_cast<std::size_t>(status)];
}

const char* to_string(cell_reason reason) {
    constexpr std::array names{"",          "deadline",     "oom",    "killed",        "crashed",
                               "restarted", "start_failed", "culled", "session_ended", "gateway_ended",
                               "aborted"};
    return names[static_cast<std::size_t>(reason)];
}

cell_reason to_cell_reason(kernels::end_reason reason) {
    switch (reason) {
        case kernels::end_reason::none:
            return cell_reason::none;
        case kernels::end_reason::crashed:
            return cell_reason::crashed;
        case kernels::end_reason::killed:
            return cell_reason::killed;
        case kernels::end_reason::oom:
            return cell_reason::oom;
        case kernels::end_reason::deadline:
            return cell_reason::deadline;
        case kernels::end_reason::restarted:
            return cell_reason::restarted;
        case kernels::end_reason::start_failed:
            return cell_reason::start_failed;
        case kernels::end_reason::culled:
            return cell_reason::culled;
        case kernels::end_reason::session_ended:
            return cell_reason::session_ended;
        case kernels::end_reason::gateway_ended:
            return cell_reason::gateway_ended;
    }
    return cell_reason::none;
}

}  // namespace gateway::sessions
