// The words behind `cellgate accounts`, taken apart. Called by main; one thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/config/config.hpp"

namespace gateway {

// The exit code.
int run_accounts(const config::config& settings, std::vector<std::string> words);

}  // namespace gateway
