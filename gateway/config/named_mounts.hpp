// [mounts.NAME] of the configuration file: host directories that every session sees.
#pragma once

#include <string>
#include <vector>

#include "gateway/config/assembly.hpp"

namespace gateway::config {

struct mount_entry {
    std::string key;
    std::variant<std::monostate, bool, std::string> given;  // monostate: a value of any other type
    std::string shown;
    origin from;
};

// Stores the mount, or says what is wrong. `from` is the table's.
void read_named_mount(assembly& into, const std::string& name, const std::vector<mount_entry>& entries,
                      const origin& from);

}  // namespace gateway::config
