#include "gateway/api/composio/agent_tools.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/agent_tool_calls.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"

namespace gateway::api::composio {
namespace {

struct agent_tool {
    const char* name;
    const char* title;
    const char* description;
    const char* input;  // JSON schema: its types and what is required are checked
    http::scope needed;
    bool read_only;
    agent_action perform;
};

constexpr const char* any_object = R"({"type":"object"})";

constexpr agent_tool all_tools[] = {
    {"create_session", "Create a session",
     "Makes a session: a Python environment of its own, whose variables and files stay until end_session.",
     R"({"type":"object","additionalProperties":false,"properties":{
"name":{"type":"string","description":"By which it can be named instead of its id"},
"user_id":{"type":"string","description":"Whose it is; only an admin's key may name another user"},
"kernel_name":{"type":"string","description":"One of the gateway's kernelspecs; the default when absent"},
"sandbox_size":{"type":"string","enum":["standard","medium","large","xlarge"]},
"cell_timeout_s":{"type":"number","description":"After which a cell is stopped"}}})",
     http::scope::session, false, create_session},
    {"list_sessions", "List sessions", "The sessions that there are, with their states.",
     R"({"type":"object","additionalProperties":false,"properties":{}})", http::scope::execute, true, list_sessions},
    {"execute", "Run Python",
     "Runs Python in a session, as a cell of a notebook: variables, imports and files stay for the next call, and the "
     "value of the last expression is the result. Files in /mnt/files are kept when the sandbox restarts.",
     R"({"type":"object","additionalProperties":false,"required":["session","code"],"properties":{
"session":{"type":"string","description":"Id or name of the session"},"code":{"type":"string"},
"timeout_s":{"type":"number","description":"After which the cell is stopped; the session's when absent"}}})",
     http::scope::execute, false, execute_code},
    {"bash", "Run a command",
     "Runs a command with bash in a session's sandbox, beside its cells: both see the same files.",
     R"({"type":"object","additionalProperties":false,"required":["session","command"],"properties":{
"session":{"type":"string","description":"Id or name of the session"},
"command":{"type":"string","description":"What bash reads"},
"cwd":{"type":"string","description":"Where it runs; as the cells when absent"},
"timeout_s":{"type":"number","description":"After which the command is stopped; 180 when absent"}}})",
     http::scope::execute, false, run_shell_command},
    {"list_files", "List files", "Files of a session below /mnt/files, in the order of their paths.",
     R"({"type":"object","additionalProperties":false,"required":["session"],"properties":{
"session":{"type":"string"},"prefix":{"type":"string","description":"The beginning of the paths"},
"cursor":{"type":"string","description":"next_cursor of the page before"},
"limit":{"type":"integer","description":"1 to 500; 100 when absent"}}})",
     http::scope::execute, true, list_session_files},
    {"read_file", "Read a file",
     "A part of a file of a session: text where it is UTF-8, otherwise base64. Up to 1 MiB at a time.",
     R"({"type":"object","additionalProperties":false,"required":["session","path"],"properties":{
"session":{"type":"string"},"path":{"type":"string","description":"Below /mnt/files"},
"offset":{"type":"integer","description":"In bytes; 0 when absent"},
"length":{"type":"integer","description":"In bytes, 1 to 1048576; 262144 when absent"}}})",
     http::scope::execute, true, read_session_file},
    {"write_file", "Write a file",
     "Makes or replaces a file of a session below /mnt/files, whole; its directories are made.",
     R"({"type":"object","additionalProperties":false,"required":["session","path"],"properties":{
"session":{"type":"string"},"path":{"type":"string","description":"Below /mnt/files"},
"text":{"type":"string"},"base64":{"type":"string","description":"Instead of text, for bytes"}}})",
     http::scope::execute, false, write_session_file},
    {"end_session", "End a session", "Ends a session; its variables and files are gone.",
     R"({"type":"object","additionalProperties":false,"required":["session"],"properties":{
"session":{"type":"string"}}})",
     http::scope::session, false, end_session},
};

const agent_tool* find_tool(const std::string& name) {
    for (const auto& each : all_tools)
        if (each.name == name) return &each;
    return nullptr;
}

bool has_type(const json& value, const std::string& type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_unsigned();
    return value.is_number();
}

// Against the tool's own schema: names, types and enums.
result<void> check(const json& arguments, const json& schema) {
    const auto& known = schema["properties"];
    for (const auto& [name, value] : arguments.items()) {
        const auto at = known.find(name);
        if (at == known.end()) return failure{errc::unknown_field, "unknown argument \"" + name.substr(0, 100) + "\""};
        const auto type = text_member(*at, "type");
        if (!has_type(value, type)) return failure{errc::invalid_request, name + " must be of the type " + type};
        const auto& choices = member(*at, "enum");
        if (!choices.is_null() && std::find(choices.begin(), choices.end(), value) == choices.end())
            return failure{errc::invalid_request, name + " must be one of " + to_text(choices)};
    }
    for (const auto& name : member(schema, "required").is_null() ? json::array() : schema["required"])
        if (!arguments.contains(name)) return failure{errc::invalid_request, name.get<std::string>() + " is missing"};
    return {};
}

// By id, or by its name among the caller's.
result<shared_session> find_named(context& with, const http::principal& caller, const std::string& wanted) {
    auto found = with.registry.find(wanted);
    if (!found) found = with.registry.find_by_name(caller.user_id, wanted);
    if (found && caller.sees(found->options().user_id)) return found;
    return failure{errc::session_not_found,
                   "there is no session " + wanted.substr(0, 100) + ": list_sessions names those there are"};
}

}  // namespace

std::vector<listed_tool> agent_tools(const http::principal& caller) {
    std::vector<listed_tool> made;
    for (const auto& each : all_tools) {
        if (!caller.may(each.needed)) continue;
        std::vector<std::string> tags{each.read_only ? "readOnlyHint" : "destructiveHint"};
        made.push_back({each.name, each.title, each.description, "cellgate", each.input, any_object, std::move(tags)});
    }
    return made;
}

result<started_call> begin_agent_tool(context& with, const http::principal& caller, const std::string& name,
                                      const tools::shared_json& arguments) {
    const auto* of = find_tool(name);
    if (!of) return failure{errc::not_found, "there is no tool " + name.substr(0, 100) + ": see tools/list"};
    if (!caller.may(of->needed))
        return failure{errc::forbidden, name + " needs a key with the scope " + to_string(of->needed)};
    const auto schema = json::parse(of->input);
    if (auto good = check(*arguments, schema); !good) return good.error();
    shared_session session;
    if (schema["properties"].contains("session")) {
        auto found = find_named(with, caller, text_member(*arguments, "session"));
        if (!found) return found.error();
        session = *found;
    }
    auto work = [&with, caller, session, arguments, of](std::shared_ptr<run> which) {
        auto call = std::make_shared<agent_call>(agent_call{with, caller, session, arguments, std::move(which)});
        return of->perform(std::move(call));
    };
    return started_call{session, with.runs.begin("", false, std::move(work))};
}

}  // namespace gateway::api::composio
