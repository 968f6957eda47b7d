// A program that runs in a box beside its kernel: from the launcher's fork to the program. The launcher is its parent.
#pragma once

#include <array>
#include <functional>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

using standard_files = std::array<file_descriptor, 3>;  // stdin, stdout, stderr

// Returns at once, with the socket on which the guest reports (report.hpp): kernel_forked by itself, failed with the
// reason; at its end the program was executed, or has failed. By way of a process that ends when it has forked the
// guest, since an ordinary user's launcher could not come back from the box's pid namespace; so the launcher must be
// the reaper of its descendants. `in_child` is called in what becomes the guest, before it can be seen in the box.
// `user`: the box's, null where it has none of its own; `wall`: the box's too. Throws box_error.
file_descriptor start_guest(const run_request& what, int init, const isolation& how, const box_user* user,
                            const file_descriptor& wall, const standard_files& files,
                            const std::function<void()>& in_child);

}  // namespace kernel
