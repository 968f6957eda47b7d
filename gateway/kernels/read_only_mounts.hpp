// Which directories of the host a kernel's program needs, and a box therefore shows at the same path. Reads the file
// system, changes nothing. Values; any thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/kernels/kernel.hpp"

namespace gateway::kernels {

// What the box shows of the host anyway, or fills with its own: /usr, /etc, /proc, …
bool is_in_every_box(const std::string& path);

// Directories that `program` needs: its prefix, and those its symbolic links lead to; none that is in every box.
std::vector<std::string> program_directories(const std::string& program);

// What every kernel of `spec` sees read-only at the same path, a directory before what it holds: the shared paths, the
// spec's own, those of `program` (argv[0]) and of the Python environment that it is forked from.
std::vector<::kernel::bind_mount> read_only_mounts(const kernel_environment& shared, const kernelspec& spec,
                                                   const std::string& program);

}  // namespace gateway::kernels
