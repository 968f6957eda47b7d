// The body of POST /v1/packages. A value; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/packages/installer.hpp"

namespace gateway::api::helpers {

struct package_call {
    std::string parent;  // msg_id of the cell's execute_request; empty where a kernel does not show it
    std::vector<packages::wanted_package> wanted;
    bool upgrade = false;
};

// invalid_request, unknown_field or too_large, with what to change.
result<package_call> parse_package_call(std::string_view body);

// {"installed": [{name, version, module?}…], "refused": [{module or requirement, reason}…]}
std::string package_answer(const packages::package_outcome& from, bool by_module);

}  // namespace gateway::api::helpers
