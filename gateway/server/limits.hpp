// Whether the machine keeps sandboxes to their sizes, and what follows when it does not. Pure but for the log.
#pragma once

#include <string>

#include "gateway/base/result.hpp"
#include "gateway/config/config.hpp"
#include "kernel/launcher/protocol.hpp"

namespace gateway::server {

// "cpu, memory"; empty when all can be enforced.
std::string missing_limits(const kernel::limits_notice& enforced);

// A failure of the launcher's; with kernels.require_limits also (conflict) when something is missing, which otherwise
// is a warning in the log.
result<void> check_limits(const config::config& settings, const result<kernel::limits_notice>& enforced);
// The same of their files. `missing`: why those have no limits; empty: they have.
result<void> check_disk(const config::config& settings, const std::string& missing);

// `missing`: why boxes have no second wall; empty when they have. As check_limits().
result<void> check_landlock(const config::config& settings, const std::string& missing);

}  // namespace gateway::server
