// What Composio's API answers (v3.1: GET tools, POST tools/execute/{slug}). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::tools {

struct composio_tool {
    std::string slug;     // "GITHUB_CREATE_ISSUE"
    std::string toolkit;  // "github"
    std::string name;
    std::string description;
    std::string input_schema;  // JSON
    std::string version;       // which one was listed; empty: not said

    bool operator==(const composio_tool&) const = default;
};

struct composio_page {
    std::vector<composio_tool> tools;
    std::string next_cursor;  // empty on the last page
};

// Entries without a slug, and Composio's own meta tools, are left out. tool_failed when it is no such page.
result<composio_page> read_composio_page(std::string_view body);

// The execute response of docs/tools.md; tool_failed when the body is none of Composio's.
result<std::string> read_composio_answer(std::string_view body);

// `arguments_json` is one object.
std::string composio_call(const composio_tool& what, const std::string& arguments_json, const std::string& user_id,
                          const std::string& account);

}  // namespace gateway::tools
