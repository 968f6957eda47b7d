// What this machine offers for boxes, found out by trying. Single-threaded, before any kernel is launched.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// Makes a box as a kernel's is made, that shows `directories`, and looks at what runs in it: at most ten seconds. Then
// what is there besides. The first finding is the boundary.
std::vector<finding> check_machine(const isolation& how, id_range ids, const std::vector<std::string>& directories);

}  // namespace kernel
