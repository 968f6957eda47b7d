// The file tree of a box, assembled on a tmpfs: the host's programs read only, the rest the box's own, and what the
// request mounts. Inside new mount and pid namespaces, by their pid 1.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// Afterwards "/" is the assembled root and nothing else of the host can be named.
void assemble_root(const isolation& how, const std::string& hostname, const std::vector<bind_mount>& mounts);

}  // namespace kernel
