// [tools.toolkits.NAME] of the configuration file: the one part that is not a flat list of settings.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "gateway/config/assembly.hpp"

namespace gateway::config {

using texts = std::map<std::string, std::string>;

struct toolkit_entry {
    std::string key;
    std::variant<std::monostate, integer, std::string, strings, texts> given;  // monostate: a value of any other type
    std::string where;
};

// Stores the toolkit, or says what is wrong. Values of env and headers are secrets and never shown.
void read_toolkit(assembly& into, const std::string& name, const std::vector<toolkit_entry>& entries,
                  const std::string& where);

}  // namespace gateway::config
