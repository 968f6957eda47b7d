// What a box's init, its kernel until that runs, and the launcher tell each other, over one SOCK_SEQPACKET pair.
// Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

enum class report_kind : std::uint8_t {
    kernel_forked,  // by the kernel itself: the sender's pid is the kernel's; value is its pid inside
    kernel_runs,    // its program was executed, or its sockets are bound (zygote)
    failed,         // text says why; init or the kernel ends
    kernel_ended,   // value is waitpid's status; init ends
    send_signal,    // to init: value goes to the kernel's process group
    signal_sent,    // init has done so
    assembled,      // by init: a kernel may be forked into the box
    kernel_is,      // to init: value is the pid, inside, of a kernel that is not its child
    network_made,   // by init: comes with the listener of its network (box_network.hpp)
    wall,           // by init, before any code of a session runs: comes with what make_file_wall() made
};

struct report {
    report_kind kind = report_kind::failed;
    std::int32_t value = 0;
    std::string text;
    std::int32_t sender = 0;  // pid as the receiver's namespace has it; 0 without SO_PASSCRED
    file_descriptor file = {};
};

// Waits while the peer's queue is full.
bool send_report(int socket, const report& what);
// Gives up instead.
bool try_send_report(int socket, const report& what);
// With a copy of the descriptor, which comes as `file`.
bool send_report(int socket, const report& what, const file_descriptor& file);
// Nothing when none is there or the peer has gone. Does not wait.
std::optional<report> receive_report(int socket);

}  // namespace kernel
