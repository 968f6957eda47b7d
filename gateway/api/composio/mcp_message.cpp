#include "gateway/api/composio/mcp_message.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/json_reading.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::string_view revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26"};  // the newest first

json with_id(const std::string& id) {
    json made = {{"jsonrpc", "2.0"}};
    made["id"] = id.empty() ? json(nullptr) : json::parse(id);
    return made;
}

bool has_tag(const listed_tool& of, const char* tag) {
    return std::find(of.tags.begin(), of.tags.end(), tag) != of.tags.end();
}

json annotations_of(const listed_tool& from) {
    json made = json::object();
    for (const char* hint : {"readOnlyHint", "destructiveHint", "openWorldHint"})
        if (has_tag(from, hint)) made[hint] = true;
    return made;
}

}  // namespace

std::optional<client_message> read_client_message(const std::string& body, message_problem& problem) {
    auto parsed = tools::parse_json(body);
    if (!parsed) {
        problem = {rpc_parse_error, "the body is not JSON in UTF-8, or nested too deeply"};
        return std::nullopt;
    }
    if (!parsed->is_object() || text_member(*parsed, "jsonrpc") != "2.0") {
        problem = {rpc_invalid_request, "the body must be one JSON-RPC 2.0 message; batches are not taken"};
        return std::nullopt;
    }
    client_message made;
    made.method = text_member(*parsed, "method");
    const auto& id = member(*parsed, "id");
    if (id.is_string() || id.is_number()) made.id = to_text(id);
    const auto& params = member(*parsed, "params");
    const bool is_answer = made.method.empty() && !made.id.empty() &&
                           (!member(*parsed, "result").is_null() || !member(*parsed, "error").is_null());
    if ((made.method.empty() && !is_answer) || (!params.is_null() && !params.is_object())) {
        problem = {rpc_invalid_request, "a message has a method, and params that are an object"};
        return std::nullopt;
    }
    made.params = std::make_shared<const json>(params.is_null() ? json::object() : params);
    return made;
}

bool is_known_revision(std::string_view revision) {
    return std::find(std::begin(revisions), std::end(revisions), revision) != std::end(revisions);
}

std::string rpc_result(const std::string& id, const json& result) {
    auto made = with_id(id);
    made["result"] = result;
    return to_text(made);
}

std::string rpc_error(const std::string& id, int code, const std::string& text) {
    auto made = with_id(id);
    made["error"] = {{"code", code}, {"message", text}};
    return to_text(made);
}

std::string rpc_notification(const char* method, const json& params) {
    return to_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

json initialize_result(const json& params) {
    auto revision = text_member(params, "protocolVersion");
    if (!is_known_revision(revision)) revision = revisions[0];
    return {{"protocolVersion", revision},
            {"capabilities", {{"tools", {{"listChanged", false}}}}},
            {"serverInfo", {{"name", "cellgate"}, {"title", "Cellgate session"}, {"version", CELLGATE_VERSION}}},
            {"instructions",
             "The tools of one session. Variables of COMPOSIO_REMOTE_WORKBENCH stay between calls; files in /mnt/files "
             "are kept."}};
}

json tools_result(const std::vector<listed_tool>& from) {
    json all = json::array();
    for (const auto& each : from)
        all.push_back({{"name", each.slug},
                       {"title", each.name},
                       {"description", each.description},
                       {"inputSchema", object_schema(each.input)},
                       {"annotations", annotations_of(each)}});
    return {{"tools", std::move(all)}};
}

json call_result(const tool_outcome& from) {
    const bool good = from.error.empty();
    const auto error = good ? std::string("null") : to_text(json(from.error));
    auto text = std::string(R"({"successful":)") + (good ? "true" : "false") + R"(,"data":)" + from.data +
                R"(,"error":)" + error + "}";
    json content = json::array();
    content.push_back({{"type", "text"}, {"text", std::move(text)}});
    for (const auto& each : from.images)
        content.push_back({{"type", "image"}, {"data", each.base64}, {"mimeType", each.mime}});
    return {{"content", std::move(content)}, {"isError", !good}};
}

}  // namespace gateway::api::composio
