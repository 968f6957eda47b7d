#include "gateway/tools/composio_page.hpp"

#include <nlohmann/json.hpp>

#include "gateway/tools/execute_response.hpp"
#include "gateway/tools/json_text.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

const json* member(const json& of, const char* name) {
    if (!of.is_object()) return nullptr;
    auto found = of.find(name);
    return found == of.end() ? nullptr : &*found;
}

std::string schema_of(const json& item) {
    const auto* found = member(item, "input_parameters");
    return found && found->is_object() ? to_text(*found) : R"({"type":"object"})";
}

composio_tool read_tool(const json& item) {
    composio_tool made;
    made.slug = normalized_slug(text_member(item, "slug"));
    if (const auto* toolkit = member(item, "toolkit")) made.toolkit = text_member(*toolkit, "slug");
    made.name = text_member(item, "name");
    made.description = text_member(item, "description");
    made.input_schema = schema_of(item);
    made.version = text_member(item, "version");
    return made;
}

failure no_answer() { return {errc::tool_failed, "Composio's answer is not what its API documents"}; }

}  // namespace

result<composio_page> read_composio_page(std::string_view body) {
    auto parsed = parse_json(body);
    const auto* items = parsed ? member(*parsed, "items") : nullptr;
    if (!items || !items->is_array()) return no_answer();
    composio_page made;
    for (const auto& item : *items) {
        auto tool = read_tool(item);
        bool is_meta = tool.toolkit == "composio";
        if (!tool.slug.empty() && !is_meta) made.tools.push_back(std::move(tool));
    }
    made.next_cursor = text_member(*parsed, "next_cursor");
    return made;
}

result<std::string> read_composio_answer(std::string_view body) {
    auto parsed = parse_json(body);
    const auto* data = parsed ? member(*parsed, "data") : nullptr;
    const auto* successful = parsed ? member(*parsed, "successful") : nullptr;
    if (!data || !successful || !successful->is_boolean()) return no_answer();
    const auto* error = member(*parsed, "error");
    std::string said = error && error->is_string() ? error->get<std::string>() : "";
    if (said.empty() && error && !error->is_null() && !error->is_string()) said = to_text(*error);
    if (said.empty() && !successful->get<bool>()) said = "the tool failed without saying why";
    if (successful->get<bool>()) said.clear();
    // Our answers' data is always an object.
    json wrapped = data->is_object() ? *data : data->is_null() ? json::object() : json{{"value", *data}};
    return execute_response(to_text(wrapped), said);
}

std::string composio_call(const composio_tool& what, const std::string& arguments_json, const std::string& user_id,
                          const std::string& account) {
    json made = {{"user_id", user_id}};
    if (!account.empty()) made["connected_account_id"] = account;
    if (!what.version.empty()) made["version"] = what.version;
    auto text = to_text(made);
    return text.substr(0, text.size() - 1) + R"(,"arguments":)" + arguments_json + "}";
}

}  // namespace gateway::tools
