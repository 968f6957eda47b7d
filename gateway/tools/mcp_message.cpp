#include "gateway/tools/mcp_message.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/tools/id_scanner.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

const std::string unreadable_answer = "the server's answer cannot be read: ";

void read_error(const json& error, mcp_message& into) {
    into.error = text_member(error, "message");
    if (into.error.empty()) into.error = "the server gave no reason";
    auto code = error.is_object() ? error.find("code") : error.end();
    if (error.is_object() && code != error.end() && code->is_number_integer()) into.error_code = code->get<int>();
}

std::optional<mcp_message> read_answer(const json& from) {
    const auto& id = from["id"];
    if (!id.is_number_unsigned()) return std::nullopt;  // ours are numbers
    mcp_message made;
    made.what = mcp_message::kind::answer;
    made.number = id.get<std::uint64_t>();
    if (from.contains("error") && !from["error"].is_null()) {
        read_error(from["error"], made);
    } else if (!from.contains("result")) {
        made.error = unreadable_answer + "it has neither a result nor an error";
    } else if (!from["result"].is_object()) {
        made.error = unreadable_answer + "its result is not an object";
    } else {
        made.result = std::make_shared<const json>(from["result"]);
    }
    return made;
}

std::optional<mcp_message> read_message(const json& from) {
    if (!from.is_object()) return std::nullopt;
    bool has_id = from.contains("id");
    auto method = text_member(from, "method");
    if (method.empty()) {
        return has_id ? read_answer(from) : std::nullopt;
    }
    mcp_message made;
    made.method = std::move(method);
    if (!has_id || from["id"].is_null()) return made;
    if (!from["id"].is_string() && !from["id"].is_number()) return std::nullopt;
    made.what = mcp_message::kind::request;
    made.id = to_text(from["id"]);
    return made;
}

// Of a text that is no JSON: nothing, unless it looks like an answer.
std::optional<mcp_message> read_broken(std::string_view text) {
    auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || text[start] != '{') return std::nullopt;
    id_scanner scanner;
    scanner.feed(text);
    bool is_answer =
        scanner.id() ? scanner.has("jsonrpc") || scanner.has("result") || scanner.has("error") : scanner.has("jsonrpc");
    if (!is_answer || scanner.has("method")) return std::nullopt;
    mcp_message made;
    made.what = scanner.id() ? mcp_message::kind::answer : mcp_message::kind::unreadable;
    made.number = scanner.id();
    made.error = unreadable_answer + (is_too_deep(text)
                                          ? "it is nested deeper than " + std::to_string(max_json_depth) + " levels"
                                          : std::string("it is not JSON in UTF-8"));
    return made;
}

std::string quoted(std::string_view text) { return to_text(json(text)); }

}  // namespace

std::vector<mcp_message> decode_mcp(std::string_view text) {
    std::vector<mcp_message> made;
    auto parsed = parse_json(text);
    if (!parsed) {
        if (auto broken = read_broken(text)) made.push_back(std::move(*broken));
        return made;
    }
    auto add = [&made](const json& each) {
        if (auto message = read_message(each)) made.push_back(std::move(*message));
    };
    if (parsed->is_array()) {
        for (const auto& each : *parsed) add(each);
    } else {
        add(*parsed);
    }
    return made;
}

std::string encode_request(std::uint64_t number, std::string_view method, std::string_view params) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(number) + R"(,"method":)" + quoted(method) + R"(,"params":)" +
           std::string(params) + "}";
}

std::string encode_notification(std::string_view method, std::string_view params) {
    return R"({"jsonrpc":"2.0","method":)" + quoted(method) + R"(,"params":)" + std::string(params) + "}";
}

std::string encode_answer(std::string_view id, std::string_view result) {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":)" + std::string(result) + "}";
}

std::string encode_refusal(std::string_view id, int code, std::string_view message) {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":{"code":)" + std::to_string(code) +
           R"(,"message":)" + quoted(message) + "}}";
}

}  // namespace gateway::tools
