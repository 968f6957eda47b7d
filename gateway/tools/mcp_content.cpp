#include "gateway/tools/mcp_content.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace gateway::tools {
namespace {

using nlohmann::json;

// Every published revision: what differs between them is not used here (batches are decoded, see mcp_message.hpp).
constexpr std::string_view known_protocols[] = {"2025-11-25", newest_protocol, "2025-03-26", "2024-11-05"};

const json& member(const json& object, const char* name) {
    static const json none;
    if (!object.is_object()) return none;
    auto found = object.find(name);
    return found == object.end() ? none : *found;
}

// The text, when the content is exactly one item and that is a text.
std::optional<std::string> single_text(const json& content) {
    if (!content.is_array() || content.size() != 1) return std::nullopt;
    const auto& text = member(content.front(), "text");
    if (text_member(content.front(), "type") != "text" || !text.is_string()) return std::nullopt;
    return text.get<std::string>();
}

std::string data_of(const json& from) {
    const auto& structured = member(from, "structuredContent");
    if (structured.is_object()) return to_text(structured);
    const auto& content = member(from, "content");
    auto text = single_text(content);
    if (!text) return to_text({{"content", content.is_array() ? content : json::array()}});
    auto parsed = parse_json(*text);
    if (parsed && parsed->is_object()) return to_text(*parsed);
    return to_text({{"text", *text}});
}

std::string error_of(const json& from) {
    std::string joined;
    const auto& content = member(from, "content");
    for (const auto& item : content.is_array() ? content : json::array()) {
        auto text = text_member(item, "text");
        if (!text.empty()) joined += (joined.empty() ? "" : "\n") + text;
    }
    return joined.empty() ? "the tool failed without saying why" : joined;
}

}  // namespace

std::string initialize_params() {
    json client = {{"name", "cellgate"}, {"version", CELLGATE_VERSION}};
    return to_text({{"protocolVersion", newest_protocol}, {"capabilities", json::object()}, {"clientInfo", client}});
}

result<server_info> read_initialize(const json& from) {
    server_info made;
    made.protocol = text_member(from, "protocolVersion");
    if (std::find(std::begin(known_protocols), std::end(known_protocols), made.protocol) == std::end(known_protocols))
        return failure{errc::tool_failed, "the server speaks MCP revision \"" + made.protocol +
                                              "\", which is not known here (" + std::string(newest_protocol) +
                                              " was asked for)"};
    made.name = text_member(member(from, "serverInfo"), "name");
    made.version = text_member(member(from, "serverInfo"), "version");
    made.has_tools = member(member(from, "capabilities"), "tools").is_object();
    return made;
}

namespace {

std::vector<std::string> hints_of(const json& annotations) {
    std::vector<std::string> made;
    for (const char* name : {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
        if (member(annotations, name) == json(true)) made.emplace_back(name);
    return made;
}

}  // namespace

tool_page read_tool_page(const json& from) {
    tool_page made;
    const auto& tools = member(from, "tools");
    for (const auto& item : tools.is_array() ? tools : json::array()) {
        tool each{text_member(item, "name"), text_member(item, "description"), to_text(member(item, "inputSchema")),
                  hints_of(member(item, "annotations"))};
        if (!each.name.empty()) made.tools.push_back(std::move(each));
    }
    made.next_cursor = text_member(from, "nextCursor");
    return made;
}

std::string list_params(const std::string& cursor) { return cursor.empty() ? "{}" : to_text({{"cursor", cursor}}); }

tool_answer read_call(const json& from) {
    tool_answer made;
    const auto& failed = member(from, "isError");
    if (!failed.is_boolean() || !failed.get<bool>()) {
        made.data = data_of(from);
        return made;
    }
    const auto& structured = member(from, "structuredContent");
    if (structured.is_object()) made.data = to_text(structured);
    made.error = error_of(from);
    return made;
}

std::string call_params(const std::string& name, const std::string& arguments) {
    return R"({"name":)" + to_text(json(name)) + R"(,"arguments":)" + arguments + "}";
}

}  // namespace gateway::tools
