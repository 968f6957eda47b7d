// The tools that every session of the tool router has besides its toolkits': their schemas, and which of them a
// configuration shows. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/composio/configuration.hpp"

namespace gateway::api::composio {

enum class meta : std::uint8_t {
    search_tools,
    get_tool_schemas,
    multi_execute,
    manage_connections,
    wait_for_connections,
    workbench,
    bash
};

struct meta_tool {
    meta which;
    const char* slug;
    const char* name;
    const char* description;
    const char* input;   // JSON schema
    const char* output;  // JSON schema
    bool read_only;
};

const std::vector<meta_tool>& meta_tools();
// `slug` trimmed and in upper case; null when it is none of them.
const meta_tool* find_meta(std::string_view slug);
// forbidden by the configuration: invalid_request, with the setting that says so.
result<void> check_enabled(const configuration& from, meta which);

}  // namespace gateway::api::composio
