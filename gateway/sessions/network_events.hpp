// What a session tells agents of its network: the params of notifications, without their seq. docs/api.md has the
// shapes. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "gateway/egress/denial.hpp"
#include "gateway/egress/destination.hpp"

namespace gateway::sessions {

std::string network_denied_body(const egress::destination& to, egress::denial why);
std::string network_used_up_body(std::uint64_t max_bytes);

}  // namespace gateway::sessions
