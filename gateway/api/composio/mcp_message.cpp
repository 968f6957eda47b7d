#include "gateway/api/composio/mcp_message.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gateway/api/composio/json_reading.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::string_view revisions[] = {newest_revision, "2025-11-25", "2025-06-18", "2025-03-26"};
constexpr std::string_view newest_with_handshake = revisions[1];
constexpr int tools_last_ms = 60'000;  // a list that may be kept: a session's configuration can change

json with_id(const std::string& id) {
    json made = {{"jsonrpc", "2.0"}};
    made["id"] = id.empty() ? json(nullptr) : json::parse(id);
    return made;
}

json server_info(const server_words& of) {
    return {{"name", "cellgate"}, {"title", of.title}, {"version", CELLGATE_VERSION}};
}

std::string enveloped(const tool_outcome& from) {
    const bool good = from.error.empty();
    const auto error = good ? std::string("null") : to_text(json(from.error));
    return std::string(R"({"successful":)") + (good ? "true" : "false") + R"(,"data":)" + from.data + R"(,"error":)" +
           error + "}";
}

json structured(const tool_outcome& from) {
    auto data = json::parse(from.data);
    // What code raised is in the data already.
    if (!from.error.empty() && !data.contains("error"))
        data["error"] = {{"code", from.refused ? to_string(from.refused->code) : "tool_failed"},
                         {"message", from.error}};
    return data;
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
    // A notification has no id at all; null is none that a request may have (MCP, "Requests").
    if (!made.method.empty() && made.id.empty() && parsed->contains("id")) {
        problem = {rpc_invalid_request, "the id of a request is a string or a number"};
        return std::nullopt;
    }
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

std::vector<std::string> known_revisions() { return {std::begin(revisions), std::end(revisions)}; }

std::string rpc_result(const std::string& id, const json& result) {
    auto made = with_id(id);
    made["result"] = result;
    return to_text(made);
}

std::string rpc_error(const std::string& id, int code, const std::string& text, const std::string& data) {
    auto made = with_id(id);
    made["error"] = {{"code", code}, {"message", text}};
    if (!data.empty()) made["error"]["data"] = json::parse(data);
    return to_text(made);
}

std::string rpc_notification(const char* method, const json& params) {
    return to_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

json initialize_result(const json& params, const server_words& of) {
    auto revision = text_member(params, "protocolVersion");
    if (!is_known_revision(revision) || revision == newest_revision) revision = newest_with_handshake;
    return {{"protocolVersion", revision},
            {"capabilities", {{"tools", {{"listChanged", false}}}}},
            {"serverInfo", server_info(of)},
            {"instructions", of.instructions}};
}

json discover_result(const server_words& of) {
    return {{"resultType", "complete"},
            {"supportedVersions", known_revisions()},
            {"capabilities", {{"tools", {{"listChanged", false}}}}},
            {"instructions", of.instructions},
            {"ttlMs", tools_last_ms},
            {"cacheScope", "private"},
            {"_meta", {{"io.modelcontextprotocol/serverInfo", server_info(of)}}}};
}

json tools_result(const std::vector<listed_tool>& from) {
    json all = json::array();
    for (const auto& each : from)
        all.push_back({{"name", each.slug},
                       {"title", each.name},
                       {"description", each.description},
                       {"inputSchema", object_schema(each.input)},
                       {"annotations", annotations_of(each)}});
    return {{"resultType", "complete"}, {"tools", std::move(all)}, {"ttlMs", tools_last_ms}, {"cacheScope", "private"}};
}

json call_result(const tool_outcome& from, result_form form) {
    json made = {{"resultType", "complete"}, {"content", json::array()}, {"isError", !from.error.empty()}};
    std::string text;
    if (form == result_form::enveloped) {
        text = enveloped(from);
    } else {
        auto data = structured(from);
        text = to_text(data);
        made["structuredContent"] = std::move(data);
    }
    made["content"].push_back({{"type", "text"}, {"text", std::move(text)}});
    for (const auto& each : from.images)
        made["content"].push_back({{"type", "image"}, {"data", each.base64}, {"mimeType", each.mime}});
    return made;
}

}  // namespace gateway::api::composio
