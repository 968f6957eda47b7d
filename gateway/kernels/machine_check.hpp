// What the machine offers for the boxes that kernels live in, as the launcher finds out. Waits; before any thread
// exists, or in a program of its own.
#pragma once

#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/kernels/launcher.hpp"
#include "kernel/launcher/protocol.hpp"

namespace gateway::kernels {

using finding = ::kernel::finding;
using finding_state = ::kernel::finding_state;

// Runs `program` (the cellgate-launcher executable), which makes a box that shows `directories`; those must exist. The
// first finding is the boundary. io_error when the program cannot be run or says nothing.
result<std::vector<finding>> check_machine(const std::string& program, const box_settings& boxes,
                                           const std::vector<std::string>& directories);

}  // namespace gateway::kernels
