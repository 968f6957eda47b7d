#include "gateway/api/composio/mcp_headers.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/base64.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* revision_header = "mcp-protocol-version";
constexpr const char* revision_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::size_t most_client_bytes = 200;
constexpr std::string_view coded_begin = "=?base64?";
constexpr std::string_view coded_end = "?=";

// "application/json" of "application/json; q=0.9".
bool accepts(const http::request& from, std::string_view type) {
    auto header = from.header("accept");
    for (auto each : http::split_list(header)) {
        auto name = http::trim(each.substr(0, each.find(';')));
        if (http::equals_ignoring_case(name, type) || name == "*/*") return true;
    }
    return false;
}

std::string body_revision(const client_message& what) {
    return text_member(member(*what.params, "_meta"), revision_key);
}

// A name that cannot stand in a header comes as "=?base64?…?=".
std::optional<std::string> decoded_name(std::string_view text) {
    if (!text.starts_with(coded_begin) || !text.ends_with(coded_end) ||
        text.size() < coded_begin.size() + coded_end.size())
        return std::string(text);
    text.remove_prefix(coded_begin.size());
    text.remove_suffix(coded_end.size());
    return from_base64(text);
}

header_problem mismatch(const std::string& header, const std::string& should) {
    return {400, rpc_header_mismatch, header + " must be there and say what the body says in " + should, ""};
}

}  // namespace

std::optional<header_problem> check_http(const http::request& from) {
    if (!accepts(from, "application/json") || !accepts(from, "text/event-stream"))
        return header_problem{406, 0, "Accept must have both application/json and text/event-stream", ""};
    auto type = from.header("content-type");
    if (!http::equals_ignoring_case(http::trim(std::string_view(type).substr(0, type.find(';'))), "application/json"))
        return header_problem{415, 0, "Content-Type must be application/json", ""};
    if (from.header(client_header).size() > most_client_bytes)
        return header_problem{400, 0, "this Mcp-Session-Id is not one that initialize gave", ""};
    return std::nullopt;
}

bool stands_alone(const http::request& from, const client_message& what) {
    if (what.method == "initialize") return false;
    return !body_revision(what).empty() || from.header(revision_header) == newest_revision ||
           what.method == "server/discover";
}

std::optional<header_problem> check_metadata(const http::request& from, const client_message& what) {
    const auto named = from.header(revision_header);
    const bool alone = stands_alone(from, what);
    if (!named.empty() && !is_known_revision(named)) {
        const json data = {{"supported", known_revisions()}, {"requested", named.substr(0, 100)}};
        return header_problem{400, rpc_unsupported_revision, "this revision of MCP is not spoken here", to_text(data)};
    }
    // What a notification must say of itself is not defined.
    if (!alone || !what.is_request()) return std::nullopt;
    if (named.empty() || named != body_revision(what))
        return mismatch("MCP-Protocol-Version", std::string("params._meta.") + revision_key);
    if (named != newest_revision)
        return header_problem{400, rpc_invalid_request,
                              "this revision begins with initialize, not with " + what.method.substr(0, 100), ""};
    if (from.header("mcp-method") != what.method) return mismatch("Mcp-Method", "method");
    if (what.method == "tools/call" && decoded_name(from.header("mcp-name")) != text_member(*what.params, "name"))
        return mismatch("Mcp-Name", "params.name");
    return std::nullopt;
}

}  // namespace gateway::api::composio
