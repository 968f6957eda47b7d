// The second wall around the files of a box, beside its read-only mounts: Landlock. It says by itself which parts of
// the box's root may be written to, so what a mount leaves open by mistake stays closed.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"

namespace kernel {

// Which version of Landlock this machine's Linux has; 0: none that a box can use, and why.
struct landlock_support {
    int version = 0;
    std::string reason;
};
landlock_support find_landlock();

// For a root that is assembled and in which no code of a session has run yet: the box's own directories and the
// writable ones of `mounts` may be written to, the rest be read and executed; `output` may be opened again. Empty where
// there is no Landlock. Throws box_error.
file_descriptor make_file_wall(const std::vector<bind_mount>& mounts, int output);

// For the calling process, which has no_new_privs, and all that it starts; each call is a layer of its own. No process
// outside may be traced, or its memory be opened; no abstract Unix socket outside be connected to. Nothing, where the
// wall is empty. Throws box_error.
void stay_behind(const file_descriptor& wall);

}  // namespace kernel
