// What a cell asks for: the name of a distribution with its versions ("pandas>=2,<3"), never a place to take it from.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::packages {

// One spelling of a distribution's name (PEP 503).
std::string normalized(std::string_view name);

// The normalized name in a requirement of PEP 508 without a URL. invalid_request says what is wrong with it.
result<std::string> name_in(std::string_view requirement);

}  // namespace gateway::packages
