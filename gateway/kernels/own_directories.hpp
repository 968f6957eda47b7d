// The directories of a session that its kernel cannot do without, however a cell left them.
#pragma once

#include <vector>

#include "kernel/launcher/protocol.hpp"

namespace gateway::kernels {

// The home directory and /mnt/files belong to the session, which may have closed them to itself (chmod 0): their owner
// may read, write and enter them again. What else is mounted is somebody's whose affair that is.
void open_own_directories(const std::vector<::kernel::bind_mount>& mounts);

}  // namespace gateway::kernels
