// How much of the step that an agent is at is kept with its cell, and told with each of the cell's events.
#pragma once

#include <cstddef>

namespace gateway::api::agent {

inline constexpr std::size_t most_step_bytes = 4u << 10;     // of current_step
inline constexpr std::size_t most_metric_bytes = 16u << 10;  // of current_step_metric, as JSON text

}  // namespace gateway::api::agent
