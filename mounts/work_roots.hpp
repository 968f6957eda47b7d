// The host directories below which a Jupyter client's kernel may work, and where in them a kernel starts.
// A value after make(); find() reads the file system; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "mounts/problem.hpp"

namespace mounts {

struct work_place {
    std::string directory;      // canonical; the same path inside the box
    ::kernel::bind_mount root;  // the whole root, writable, so that ../data is found

    bool operator==(const work_place&) const = default;
};

class work_roots {
  public:
    // Each an existing directory that hides nothing of the box's own (/usr, /home/user, …).
    static result<work_roots> make(const std::vector<std::string>& configured);
    work_roots() = default;

    // `wanted` is KERNEL_WORKING_DIR (absolute, of the host) or a Jupyter path (relative to a root: the one that has
    // most of it). What does not exist or is no directory is left off from its end, down to the root. Nothing when it
    // is empty, outside of every root, or leads out of one by a symbolic link or "..".
    std::optional<work_place> find(const std::string& wanted) const;
    bool empty() const { return roots_.empty(); }

  private:
    std::vector<std::string> roots_;  // canonical
};

}  // namespace mounts
