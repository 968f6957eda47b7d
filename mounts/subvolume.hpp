// Directories of a btrfs file system that have a limit of their own: subvolumes, and the simple quotas that count what
// is written in each, metadata too. Root only. Any thread; may wait for the disk.
#pragma once

#include <cstdint>
#include <string>

#include "mounts/problem.hpp"

namespace mounts {

// Once for a file system, by a descriptor of any directory in it, before anything else is made there.
result<void> enable_quotas(int directory);
// Takes the whole of a device that has become larger.
result<void> fill_device(int directory);
// `name` in the directory `parent`, with mode 0700 and no limit. Goes as an empty directory does.
result<void> make_subvolume(int parent, const std::string& name);
// What it may hold from now on; 0 is no limit. A smaller one than it holds stops what would add to it.
result<void> limit_subvolume(int parent, const std::string& name, std::uint64_t bytes);

}  // namespace mounts
