// What is the gateway's own stays out of boxes, also where a directory that a box shows has it somewhere inside.
#pragma once

#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "kernel/launcher/protocol.hpp"

namespace gateway::kernels {

// Mounts that cover each of `hidden` in what `shown` shows of it: a directory with `empty`, one without entries; a file
// with /dev/null. Reads the file system, changes nothing. Any thread.
std::vector<::kernel::bind_mount> cover_hidden(const std::vector<::kernel::bind_mount>& shown,
                                               const std::vector<std::string>& hidden, const std::string& empty);

// Fails (kernel_start_failed) when a session could have changed what a read-only mount shows, or where it leads: its
// source lies in one of `writable`, directories that are mounted writable in every session.
result<void> check_out_of_reach(const std::vector<::kernel::bind_mount>& read_only,
                                const std::vector<std::string>& writable);

}  // namespace gateway::kernels
