#include "gateway/api/composio/tool_call.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/step_limits.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_account_bytes = 200;
constexpr std::size_t most_slug_bytes = 200;
constexpr std::size_t most_calls = 50;
constexpr std::size_t most_queries = 20;
constexpr std::size_t most_slugs = 100;
constexpr std::size_t most_command_bytes = (128u << 10) - 1;  // of one argument, its final NUL counted
constexpr std::size_t most_use_case_characters = 1'024;

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

// In the words that clients of the tool router know.
failure missing(const std::string& field) { return refuse("Validation error: Required at \"" + field + "\""); }
failure wrong(const std::string& field, const std::string& must) {
    return refuse("Validation error: \"" + field + "\" must be " + must);
}

result<void> check_texts(const json& arguments, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const auto& found = member(arguments, name);
        if (!found.is_null() && !found.is_string()) return wrong(name, "a string");
    }
    return {};
}

result<void> check_flags(const json& arguments, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const auto& found = member(arguments, name);
        if (!found.is_null() && !found.is_boolean()) return wrong(name, "true or false");
    }
    return {};
}

// An array of strings, where there is one.
result<void> check_list(const json& arguments, const char* name) {
    const auto& found = member(arguments, name);
    auto is_text = [](const json& each) { return each.is_string(); };
    if (found.is_null() || (found.is_array() && std::all_of(found.begin(), found.end(), is_text))) return {};
    return wrong(name, "an array of strings");
}

// What any meta tool may have, and the session's object then shows, no longer than the session's own API takes it.
result<void> check_common(const json& arguments) {
    if (auto good = check_texts(arguments, {"thought", "current_step", "current_step_metric", "session_id"}); !good)
        return good;
    if (text_member(arguments, "current_step").size() > agent::most_step_bytes)
        return wrong("current_step", "at most " + std::to_string(agent::most_step_bytes) + " bytes long");
    const auto& metric = member(arguments, "current_step_metric");
    if (!metric.is_null() && to_text(metric).size() > agent::most_metric_bytes)
        return wrong("current_step_metric",
                     "at most " + std::to_string(agent::most_metric_bytes) + " bytes long, as JSON");
    return {};
}

result<const json*> required_array(const json& arguments, const char* name, std::size_t most) {
    const auto& found = member(arguments, name);
    if (found.is_null()) return missing(name);
    if (!found.is_array() || found.empty() || found.size() > most)
        return wrong(name, "an array of 1 to " + std::to_string(most) + " entries");
    return &found;
}

result<void> check_names(const json& arguments, const char* name, std::size_t most) {
    auto found = required_array(arguments, name, most);
    if (!found) return found.error();
    for (const auto& each : **found)
        if (!each.is_string()) return wrong(name, "an array of strings");
    return {};
}

result<void> check_workbench(const json& arguments) {
    const auto& code = member(arguments, "code_to_execute");
    if (code.is_null()) return missing("code_to_execute");
    if (!code.is_string()) return wrong("code_to_execute", "a string");
    const auto& timeout = member(arguments, "timeout");
    if (!timeout.is_null() && (!timeout.is_number() || !(timeout.get<double>() > 0)))
        return wrong("timeout", "a number of seconds over 0");
    return {};
}

result<void> check_bash(const json& arguments) {
    const auto& command = member(arguments, "command");
    if (command.is_null()) return missing("command");
    if (!command.is_string() || command.get_ref<const std::string&>().empty())
        return wrong("command", "a text that bash reads");
    if (command.get_ref<const std::string&>().size() > most_command_bytes)
        return wrong("command", "at most " + std::to_string(most_command_bytes) +
                                    " bytes, as Linux takes no more; write a script to a file and run that");
    if (command.get_ref<const std::string&>().find('\0') != std::string::npos) return wrong("command", "without NUL");
    return {};
}

result<void> check_multi(const json& arguments) {
    auto found = required_array(arguments, "tools", most_calls);
    if (!found) return found.error();
    for (std::size_t at = 0; at < (*found)->size(); ++at) {
        const auto& each = (**found)[at];
        const auto path = "tools." + std::to_string(at);
        if (!each.is_object()) return wrong(path, "an object {tool_slug, arguments}");
        if (text_member(each, "tool_slug").empty()) return missing(path + ".tool_slug");
        const auto& given = member(each, "arguments");
        if (!given.is_null() && !given.is_object()) return wrong(path + ".arguments", "an object");
    }
    return check_flags(arguments, {"sync_response_to_workbench"});
}

result<void> check_search(const json& arguments) {
    auto found = required_array(arguments, "queries", most_queries);
    if (!found) return found.error();
    for (std::size_t at = 0; at < (*found)->size(); ++at) {
        const auto path = "queries." + std::to_string(at) + ".use_case";
        const auto& use_case = member((**found)[at], "use_case");
        if (use_case.is_null()) return missing(path);
        // Bytes are at most four a character.
        if (!use_case.is_string() || use_case.get_ref<const std::string&>().size() > 4 * most_use_case_characters)
            return wrong(path, "a string of at most " + std::to_string(most_use_case_characters) + " characters");
        const auto& known = member((**found)[at], "known_fields");
        if (!known.is_null() && !known.is_string())
            return wrong("queries." + std::to_string(at) + ".known_fields", "a string, name:value");
    }
    const auto& session = member(arguments, "session");
    if (!session.is_null() && !session.is_object()) return wrong("session", "an object {id} or {generate_id}");
    if (auto good = check_texts(arguments, {"model"}); !good) return good;
    return check_list(arguments, "toolkits");
}

result<void> check_schemas(const json& arguments) {
    if (auto good = check_names(arguments, "tool_slugs", most_slugs); !good) return good;
    return check_list(arguments, "include");
}

result<void> check_connections(const json& arguments) {
    if (auto good = check_names(arguments, "toolkits", most_calls); !good) return good;
    const auto& timeout = member(arguments, "timeout_s");
    if (!timeout.is_null() && !timeout.is_number()) return wrong("timeout_s", "a number of seconds");
    return check_flags(arguments, {"reinitiate_all"});
}

}  // namespace

result<std::string> read_account(const json& account) {
    if (account.is_null()) return std::string();
    if (!account.is_string() || account.get_ref<const std::string&>().size() > most_account_bytes)
        return wrong("account", "an account's id or alias");
    return account.get<std::string>();
}

result<tool_call> read_tool_call(const std::string& body, const char* slug_field) {
    auto parsed = read_body(body, most_call_bytes);
    if (!parsed) return parsed.error();
    const json& from = **parsed;
    const auto& slug = member(from, slug_field);
    if (slug.is_null()) return missing(slug_field);
    if (!slug.is_string() || slug.get_ref<const std::string&>().size() > most_slug_bytes)
        return wrong(slug_field, "a tool's slug such as \"TOOLKIT_TOOL\"");
    tool_call made;
    made.slug = tools::normalized_slug(slug.get_ref<const std::string&>());
    if (made.slug.empty()) return missing(slug_field);
    made.of = find_meta(made.slug);
    const auto& arguments = member(from, "arguments");
    if (!arguments.is_null() && !arguments.is_object()) return wrong("arguments", "an object; {} for none");
    made.arguments = std::make_shared<const json>(arguments.is_null() ? json::object() : arguments);
    const auto& offload = member(from, "enable_auto_workbench_offload");
    if (!offload.is_null() && !offload.is_boolean()) return wrong("enable_auto_workbench_offload", "true or false");
    made.may_offload = offload == json(true);
    if (made.of) return made;  // which has no account of its own to choose
    auto account = read_account(member(from, "account"));
    if (!account) return account.error();
    made.account = std::move(*account);
    return made;
}

result<void> check_tool_call(const tool_call& what, const configuration& with) {
    if (!what.of) {
        if (what.slug.starts_with("LOCAL_"))
            return refuse(what.slug + " is a custom tool: it runs in the program that defines it, not here");
        return {};
    }
    if (auto enabled = check_enabled(with, what.of->which); !enabled) return enabled;
    if (auto good = check_common(*what.arguments); !good) return good;
    switch (what.of->which) {
        case meta::workbench:
            return check_workbench(*what.arguments);
        case meta::bash:
            return check_bash(*what.arguments);
        case meta::multi_execute:
            return check_multi(*what.arguments);
        case meta::search_tools:
            return check_search(*what.arguments);
        case meta::get_tool_schemas:
            return check_schemas(*what.arguments);
        case meta::manage_connections:
        case meta::wait_for_connections:
            return check_connections(*what.arguments);
    }
    return {};
}

std::string execute_answer(const tool_outcome& from) {
    auto said = from.error.empty() ? std::string("null") : to_text(json(from.error));
    return R"({"data":)" + from.data + R"(,"error":)" + said + R"(,"log_id":)" + to_text(json(from.log_id)) +
           R"(,"result_type":")" + (from.error.empty() ? "completed" : "failed") + "\"}";
}

tool_outcome good_outcome(const json& data) {
    tool_outcome made;
    made.log_id = make_id("log_");
    made.data = to_text(data);
    return made;
}

tool_outcome refused_outcome(const failure& why) {
    tool_outcome made;
    made.error = why.message;
    made.log_id = make_id("log_");
    made.refused = why;
    return made;
}

tool_outcome read_outcome(const result<std::string>& answer) {
    if (!answer) {
        auto made = refused_outcome(answer.error());
        const auto code = answer.error().code;
        if (code != errc::not_found && code != errc::invalid_request && code != errc::unknown_field)
            made.refused.reset();
        return made;
    }
    auto parsed = tools::parse_json(*answer);
    tool_outcome made;
    made.log_id = parsed ? text_member(*parsed, "log_id") : "";
    if (made.log_id.empty()) made.log_id = make_id("log_");
    if (!parsed || !member(*parsed, "data").is_object()) {
        made.error = "the tool's answer cannot be read";
        return made;
    }
    made.data = to_text(member(*parsed, "data"));
    made.error = text_member(*parsed, "error");
    return made;
}

}  // namespace gateway::api::composio
