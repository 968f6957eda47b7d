// A forked child on its way to being a kernel.
#pragma once

#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/zygote_protocol.hpp"
#include "kernel/zygote/forkable.hpp"

namespace kernel {

struct fork_order {
    fork_request request;
    file_descriptor init;     // pidfd of the box's init
    file_descriptor reports;  // the box's report socket
    file_descriptor output;
    file_descriptor wall;                 // the box's, or none
    std::vector<file_descriptor> groups;  // control_group::entrances()
};

// In the child of fork_into_box: joins the box, becomes what an executed kernel would be there, tells the launcher, and
// is the kernel. Every descriptor but the order's is closed. Returns the exit status.
int become_kernel(forkable& program, fork_order order);

}  // namespace kernel
