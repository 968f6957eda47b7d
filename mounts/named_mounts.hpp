// Host directories that the configuration shows in every session's box ([mounts.NAME]): checked once, when the gateway
// starts. Values; reads the file system, changes nothing.
#pragma once

#include <string>
#include <vector>

#include "kernel/launcher/protocol.hpp"
#include "mounts/problem.hpp"

namespace mounts {

struct named_mount {
    std::string name;
    std::string directory;  // of the host, as configured
    std::string at;         // in the box; empty: /mnt/NAME
    bool writable = false;

    bool operator==(const named_mount&) const = default;
};

// Each directory canonical, as it is now: where a link in its path leads to later is no matter. Refused are a directory
// that is not there, one that holds or is in one of `hidden` (what is the gateway's own), and a place in the box that
// is, hides, or lies in one that every box has or is in `needed` (what kernels are made of), or in another mount's.
result<std::vector<::kernel::bind_mount>> to_bind_mounts(const std::vector<named_mount>& configured,
                                                         const std::vector<std::string>& hidden,
                                                         const std::vector<std::string>& needed = {});

}  // namespace mounts
