// What the results of MCP's methods mean: initialize, tools/list, tools/call (revision 2025-06-18). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::tools {

inline constexpr std::string_view newest_protocol = "2025-06-18";

std::string initialize_params();

struct server_info {
    std::string protocol;  // the revision that both sides speak now
    std::string name;
    std::string version;
    bool has_tools = false;
};
// tool_failed when the server speaks no revision that we know.
result<server_info> read_initialize(const nlohmann::json& from);

struct tool {
    std::string name;
    std::string description;
    std::string input_schema;             // JSON
    std::vector<std::string> hints = {};  // of its annotations those that are true: "readOnlyHint", …

    bool operator==(const tool&) const = default;
};
struct tool_page {
    std::vector<tool> tools;
    std::string next_cursor;  // empty on the last page
};
// Tools without a name are left out.
tool_page read_tool_page(const nlohmann::json& from);
std::string list_params(const std::string& cursor);

struct tool_answer {
    std::string data = "{}";  // a JSON object
    std::string error;        // empty on success

    bool operator==(const tool_answer&) const = default;
};
// data is structuredContent where there is one; else the object that the one text is in JSON; else {"text": …} for one
// text; else {"content": […]} as it came. A result with isError has its texts as the error.
tool_answer read_call(const nlohmann::json& from);
// `arguments` is a JSON object.
std::string call_params(const std::string& name, const std::string& arguments);

}  // namespace gateway::tools
