// [accounts.services.NAME] of the configuration file.
#pragma once

#include <string>
#include <vector>

#include "gateway/config/table_entry.hpp"

namespace gateway::config {

// Stores the service, or says what is wrong with the table. Whether an account could be as it says is checked where
// accounts are.
void read_service(assembly& into, const std::string& name, const std::vector<table_entry>& entries,
                  const std::string& where);

}  // namespace gateway::config
