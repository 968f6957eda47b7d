// Hosts that belong together, by one name: what a package manager needs. Constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gateway::egress {

struct preset {
    std::string_view name;
    std::span<const std::string_view> hosts;  // as in a rule: exact, or "*.example.com"
    std::span<const std::uint16_t> ports;
};

// Null when there is none of that name.
const preset* find_preset(std::string_view name);
// "conda, cran, …", for an error.
std::string preset_names();

}  // namespace gateway::egress
