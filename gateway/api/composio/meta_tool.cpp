#include "gateway/api/composio/meta_tool.hpp"

#include <string>

namespace gateway::api::composio {
namespace {

constexpr const char* search_input = R"({"type":"object","required":["queries"],"properties":{
"queries":{"type":"array","minItems":1,"maxItems":20,"description":"What is to be done, one entry for each task",
"items":{"type":"object","required":["use_case"],"properties":{
"use_case":{"type":"string","description":"One task in plain English"},
"known_fields":{"type":"string","description":"Values that are known already, as name:value"}}}},
"session":{"type":"object","description":"{\"generate_id\": true} for a new task, {\"id\": ID} for one under way",
"properties":{"id":{"type":"string"},"generate_id":{"type":"boolean"}}},
"model":{"type":"string","description":"The model that asks"}}})";
constexpr const char* search_output = R"({"type":"object","properties":{"success":{"type":"boolean"},
"error":{"type":"string"},"results":{"type":"array","items":{"type":"object"}},"tool_schemas":{"type":"object"},
"toolkit_connection_statuses":{"type":"array","items":{"type":"object"}},
"next_steps_guidance":{"type":"array","items":{"type":"string"}},"session":{"type":"object"},
"time_info":{"type":"object"}}})";

constexpr const char* schemas_input = R"({"type":"object","required":["tool_slugs"],"properties":{
"tool_slugs":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string"},"description":"Slugs of tools"},
"include":{"type":"array","items":{"type":"string","enum":["input_schema","output_schema"]},
"description":"Which schemas to give; input_schema when absent"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* schemas_output = R"({"type":"object","properties":{"success":{"type":"boolean"},
"tool_schemas":{"type":"object"},"not_found":{"type":"array","items":{"type":"string"}},
"suggestions":{"type":"object"},"not_found_message":{"type":"string"}}})";

constexpr const char* multi_input = R"({"type":"object","required":["tools","sync_response_to_workbench"],"properties":{
"tools":{"type":"array","minItems":1,"maxItems":50,"description":"Calls that do not depend on each other",
"items":{"type":"object","required":["tool_slug","arguments"],"properties":{
"tool_slug":{"type":"string"},"arguments":{"type":"object"},"account":{"type":"string"}}}},
"sync_response_to_workbench":{"type":"boolean","description":"Whether the results are wanted in the sandbox"},
"thought":{"type":"string"},"current_step":{"type":"string"},"current_step_metric":{"type":"string"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* multi_output = R"({"type":"object","properties":{
"results":{"type":"array","items":{"type":"object"}},"total_count":{"type":"integer"},
"success_count":{"type":"integer"},"error_count":{"type":"integer"},"remote_file_info":{"type":"object"},
"next_steps":{"type":"string"},"session":{"type":"object"}}})";

constexpr const char* connections_input = R"({"type":"object","required":["toolkits"],"properties":{
"toolkits":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string"},"description":"Names of toolkits"},
"reinitiate_all":{"type":"boolean","description":"Connect anew also what is connected"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* connections_output = R"({"type":"object","properties":{"message":{"type":"string"},
"results":{"type":"object"},"summary":{"type":"object"},"session":{"type":"object"}}})";

constexpr const char* wait_input = R"({"type":"object","required":["toolkits"],"properties":{
"toolkits":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string"},"description":"Names of toolkits"},
"timeout_s":{"type":"number","description":"Seconds to wait at most; 120 when absent"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* wait_output = R"({"type":"object","required":["message","results"],"properties":{
"message":{"type":"string"},"results":{"type":"object"},"summary":{"type":"object"},"session":{"type":"object"}}})";

constexpr const char* workbench_input = R"({"type":"object","required":["code_to_execute"],"properties":{
"code_to_execute":{"type":"string","description":"Python. Variables and imports stay for the next call"},
"thought":{"type":"string","description":"Why this is run, in one sentence"},
"current_step":{"type":"string","description":"A short name of the step, such as FETCHING_EMAILS"},
"current_step_metric":{"type":"string","description":"How far it is, done/total units"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* workbench_output = R"({"type":"object","required":["results","stdout","stderr"],"properties":{
"results":{"type":"string"},"stdout":{"type":"string"},"stderr":{"type":"string"},"error":{"type":"string"},
"results_file_path":{"type":"string"},"stdout_file_path":{"type":"string"},"stderr_file_path":{"type":"string"},
"session":{"type":"object"},"sandbox_id_suffix":{"type":"string"}}})";
constexpr const char* workbench_description =
    "Runs Python in this session's sandbox, as a cell of a notebook: variables, imports and files stay for the next "
    "call, and the value of the last expression is the result. Files in /mnt/files outlive the sandbox. A cell is "
    "stopped at its deadline (180 s unless configured otherwise): work in steps, and keep checkpoints in /mnt/files. "
    "Helpers are there without import, each returning (result, error): run_composio_tool(slug, arguments), "
    "invoke_llm(query), web_search(query), smart_file_extract(path) for the text of a document or picture, "
    "proxy_execute(method, endpoint, toolkit) for a service with a connected account, and upload_local_file(path), "
    "which makes a file available under /mnt/files with a link. Use ThreadPoolExecutor to call many tools at once.";

constexpr const char* bash_input = R"({"type":"object","required":["command"],"properties":{
"command":{"type":"string","description":"What bash reads"},
"session_id":{"type":"string","description":"The id that COMPOSIO_SEARCH_TOOLS gave"}}})";
constexpr const char* bash_output = R"({"type":"object","required":["stdout","stdoutLines","stderr","stderrLines"],
"properties":{"stdout":{"type":"string"},"stdoutLines":{"type":"integer"},"stderr":{"type":"string"},
"stderrLines":{"type":"integer"},"exit_code":{"type":"integer"},"signal":{"type":"string"},
"stdout_file_path":{"type":"string"},"stderr_file_path":{"type":"string"},"session":{"type":"object"},
"sandbox_id_suffix":{"type":"string"}}})";
constexpr const char* bash_description =
    "Runs a command with bash in this session's sandbox, beside COMPOSIO_REMOTE_WORKBENCH: both see the same files, "
    "and those in /mnt/files outlive the sandbox. A command is stopped after 180 s unless configured otherwise. Python "
    "variables and helpers are not there.";

}  // namespace

const std::vector<meta_tool>& meta_tools() {
    static const std::vector<meta_tool> all = {
        {meta::search_tools, "COMPOSIO_SEARCH_TOOLS", "Search tools",
         "Finds the tools that fit a task, with their schemas and what to do next. Call it first.", search_input,
         search_output, true},
        {meta::get_tool_schemas, "COMPOSIO_GET_TOOL_SCHEMAS", "Get tool schemas",
         "The full schemas of tools that were found.", schemas_input, schemas_output, true},
        {meta::multi_execute, "COMPOSIO_MULTI_EXECUTE_TOOL", "Execute several tools",
         "Calls up to 50 tools at once; the results are in the order of the calls.", multi_input, multi_output, false},
        {meta::manage_connections, "COMPOSIO_MANAGE_CONNECTIONS", "Manage connections",
         "Says which toolkits can be used. For one that needs a connected account, gives a link for the user to "
         "connect "
         "it; its API is then called with proxy_execute.",
         connections_input, connections_output, false},
        {meta::wait_for_connections, "COMPOSIO_WAIT_FOR_CONNECTIONS", "Wait for connections",
         "Waits until the user has followed the links of COMPOSIO_MANAGE_CONNECTIONS, and says which toolkits can be "
         "used.",
         wait_input, wait_output, true},
        {meta::workbench, "COMPOSIO_REMOTE_WORKBENCH", "Remote workbench", workbench_description, workbench_input,
         workbench_output, false},
        {meta::bash, "COMPOSIO_REMOTE_BASH_TOOL", "Remote bash", bash_description, bash_input, bash_output, false},
    };
    return all;
}

const meta_tool* find_meta(std::string_view slug) {
    for (const auto& each : meta_tools())
        if (each.slug == slug) return &each;
    return nullptr;
}

result<void> check_enabled(const configuration& from, meta which) {
    auto off = [](const char* slug, const char* setting) {
        return failure{errc::invalid_request, std::string(slug) + " is off in this session: its " + setting +
                                                  " is not true; turn it on with PATCH, or create a session with it"};
    };
    switch (which) {
        case meta::workbench:
            if (!from.workbench.enable) return off("COMPOSIO_REMOTE_WORKBENCH", "workbench.enable");
            break;
        case meta::bash:
            if (!from.workbench.enable) return off("COMPOSIO_REMOTE_BASH_TOOL", "workbench.enable");
            break;
        case meta::search_tools:
            if (!from.search) return off("COMPOSIO_SEARCH_TOOLS", "search.enable");
            break;
        case meta::get_tool_schemas:
            if (!from.search) return off("COMPOSIO_GET_TOOL_SCHEMAS", "search.enable");
            break;
        case meta::multi_execute:
            if (!from.multi_execute) return off("COMPOSIO_MULTI_EXECUTE_TOOL", "execute.enable_multi_execute");
            break;
        case meta::manage_connections:
            if (!from.manage_connections) return off("COMPOSIO_MANAGE_CONNECTIONS", "manage_connections.enable");
            break;
        case meta::wait_for_connections:
            if (!from.manage_connections) return off("COMPOSIO_WAIT_FOR_CONNECTIONS", "manage_connections.enable");
            if (!from.wait_for_connections)
                return off("COMPOSIO_WAIT_FOR_CONNECTIONS", "manage_connections.enable_wait_for_connections");
            break;
    }
    return {};
}

}  // namespace gateway::api::composio
