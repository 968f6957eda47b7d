#include "gateway/tools/mcp_message.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace gateway::tools {
namespace {

using nlohmann::json;

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
    if (from.contains("result")) {
        made.result = std::make_shared<const json>(from["result"]);
    } else {
        read_error(from["error"], made);
    }
    return made;
}

std::optional<mcp_message> read_message(const json& from) {
    if (!from.is_object()) return std::nullopt;
    bool has_id = from.contains("id");
    auto method = text_member(from, "method");
    if (method.empty()) {
        bool is_answer = has_id && (from.contains("result") || from.contains("error"));
        return is_answer ? read_answer(from) : std::nullopt;
    }
    mcp_message made;
    made.method = std::move(method);
    if (!has_id || from["id"].is_null()) return made;
    if (!from["id"].is_string() && !from["id"].is_number()) return std::nullopt;
    made.what = mcp_message::kind::request;
    made.id = to_text(from["id"]);
    return made;
}

std::string quoted(std::string_view text) { return to_text(json(text)); }

}  // namespace

std::vector<mcp_message> decode_mcp(std::string_view text) {
    std::vector<mcp_message> made;
    auto parsed = parse_json(text);
    if (!parsed) return made;
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
