// The file tree of a box, assembled on a tmpfs: the host's programs read only, the rest the box's own, and what the
// request mounts. Inside a new mount namespace, by the pid 1 of a new pid namespace or by a zygote.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {

// Whose it is: a box's, with a /proc of its own pid namespace; or a zygote's, which has none and sees the machine's
// processes.
enum class root_of { box, zygote };

// Afterwards "/" is the assembled root and nothing else of the host can be named. `user`: whom the box's own files and
// what is mounted belong to; null where that is the caller.
void assemble_root(const isolation& how, const std::string& hostname, const std::vector<bind_mount>& mounts,
                   root_of whose, const box_user* user);

}  // namespace kernel
