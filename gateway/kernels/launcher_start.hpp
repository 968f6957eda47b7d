// The launcher's process, and the gateway's end of its socket.
#pragma once

#include <string>
#include <vector>

#include "gateway/kernels/child_process.hpp"
#include "gateway/kernels/launcher.hpp"

namespace gateway::kernels {

struct started_launcher {
    child_process process;
    ::kernel::file_descriptor socket;
};

// `more`: arguments behind those that say how boxes are made. io_error.
result<started_launcher> start_launcher(const std::string& program, const box_settings& boxes,
                                        const std::vector<std::string>& more = {});

}  // namespace gateway::kernels
