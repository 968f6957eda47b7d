// The file tree of a box, assembled on a tmpfs: the host's programs read only, the rest the box's own, and what the
// request mounts. Inside a new mount namespace, by the pid 1 of a new pid namespace or by a zygote.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// What /proc shows: of the own pid namespace, or, where there is none, what the host's does.
enum class processes { own, of_the_host };

// Afterwards "/" is the assembled root and nothing else of the host can be named.
void assemble_root(const isolation& how, const std::string& hostname, const std::vector<bind_mount>& mounts,
                   processes shown = processes::own);

}  // namespace kernel
