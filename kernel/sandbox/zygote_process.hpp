// A zygote's own process, from fork to its program: in a root like its kernels', but in the host's pid namespace, so
// that it can fork into theirs, and with the capabilities that this takes.
#pragma once

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// In the child of fork_into_mount_namespace. Takes the descriptors: the zygote's socket, and the file for its stdout
// and stderr, where it also says why it could not start.
[[noreturn]] void run_zygote(const zygote_command& what, const isolation& how, int socket, int output);

}  // namespace kernel
