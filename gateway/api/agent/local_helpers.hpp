// kernel/python/cellgate_local.py, compiled in. Any thread.
#pragma once

#include <string_view>

namespace gateway::api::agent {

extern const std::string_view local_helpers;

}  // namespace gateway::api::agent
