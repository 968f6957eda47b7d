// [tools.toolkits.NAME] of the configuration file.
#pragma once

#include <string>
#include <vector>

#include "gateway/config/table_entry.hpp"

namespace gateway::config {

// Stores the toolkit, or says what is wrong. Values of env and headers are secrets and never shown.
void read_toolkit(assembly& into, const std::string& name, const std::vector<table_entry>& entries,
                  const std::string& where);

}  // namespace gateway::config
