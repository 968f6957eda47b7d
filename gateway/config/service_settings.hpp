// The settings of the services that cells reach through the gateway, of sandboxes and of their network: parts of
// table.hpp's. Values; any thread.
#pragma once

#include <vector>

#include "gateway/config/table.hpp"

namespace gateway::config {

std::vector<setting> accounts_settings();
std::vector<setting> composio_settings();
std::vector<setting> llm_settings();
std::vector<setting> search_settings();
std::vector<setting> size_settings();
std::vector<setting> network_settings();

}  // namespace gateway::config
