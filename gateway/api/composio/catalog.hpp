// The tools of a session: those of its configured toolkits that its configuration lets in, and what is shown of them.
// io thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gateway/api/composio/configuration_store.hpp"
#include "gateway/api/composio/meta_tool.hpp"
#include "gateway/base/async.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::composio {

using tools::tool_description;

// A tool as GET …/tools shows it.
struct listed_tool {
    std::string slug;
    std::string name;
    std::string description;
    std::string toolkit;
    std::string input;   // JSON schema
    std::string output;  // JSON schema
    std::vector<std::string> tags;
};

// What that version of a session's configuration lets in; null: everything.
tools::tool_filter filter_of(std::shared_ptr<const configuration_version> version);
// The toolkits' tools that the session may use. Starts their servers.
awaitable<std::vector<tool_description>> allowed_tools(tools::toolbox& all, const configuration& with);
// What a client gives its model: the meta tools that are on, and what is preloaded.
awaitable<std::vector<listed_tool>> listed_tools(tools::toolbox& all, const configuration& with);
// Their slugs, as far as they are known without starting anything.
std::vector<std::string> listed_slugs(const configuration& with);

nlohmann::json shown_tool(const listed_tool& from);
// A schema whose type is object, whatever the server sent.
nlohmann::json object_schema(const std::string& text);

}  // namespace gateway::api::composio
