// The words for what a kernel is doing and why it ended; docs/api.md, "The one vocabulary". Values.
#pragma once

namespace gateway::kernels {

enum class kernel_state { starting, idle, busy, restarting, dead };
const char* to_string(kernel_state state);

// Why a kernel's process ended or its state changed; none is "".
enum class end_reason {
    none,
    crashed,
    killed,
    oom,
    deadline,
    restarted,
    start_failed,
    culled,
    session_ended,
    gateway_ended
};
const char* to_string(end_reason reason);

// How the gateway and a kernel talk: sockets in the file system where the kernel can, else loopback ports.
enum class transport { ipc, tcp };
const char* to_string(transport which);

}  // namespace gateway::kernels
