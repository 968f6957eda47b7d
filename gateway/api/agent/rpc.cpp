#include "gateway/api/agent/rpc.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "messaging/json_scanner.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

rpc_call malformed(std::string id, rpc_code code, std::string message) {
    rpc_call made;
    made.id = id.empty() ? "null" : std::move(id);
    made.malformed = rpc_error{code, failure{errc::invalid_request, std::move(message)}};
    return made;
}

std::string id_of(const json& call) {
    auto found = call.find("id");
    if (found == call.end() || !(found->is_string() || found->is_number() || found->is_null())) return {};
    return dump(*found);
}

std::string first_unknown(const json& call) {
    for (const auto& [name, value] : call.items())
        if (name != "jsonrpc" && name != "id" && name != "method" && name != "params") return name;
    return {};
}

rpc_call parse_call(const json& from) {
    if (!from.is_object()) return malformed("", rpc_code::invalid_request, "a call must be an object");
    rpc_call made;
    made.id = id_of(from);
    if (from.contains("id") && made.id.empty())
        return malformed("", rpc_code::invalid_request, "id must be a string, a number or null");
    auto refuse = [&](std::string message) {
        return malformed(made.id, rpc_code::invalid_request, std::move(message));
    };
    if (from.value("jsonrpc", json()) != "2.0") return refuse("jsonrpc must be \"2.0\"");
    auto method = from.find("method");
    if (method == from.end() || !method->is_string()) return refuse("method must be a string");
    if (auto name = first_unknown(from); !name.empty()) return refuse("unknown member " + name + " in the call");
    made.method = method->get<std::string>();
    auto params = from.find("params");
    if (params != from.end() && !params->is_object() && !params->is_array()) return refuse("params must be an object");
    if (params != from.end() && params->is_array() && !params->empty()) {
        made.params = std::make_shared<const json>(json::object());
        made.malformed = rpc_error{rpc_code::invalid_params,
                                   failure{errc::invalid_request, "params must be an object: they go by name"}};
        return made;
    }
    bool named = params != from.end() && params->is_object();
    made.params = std::make_shared<const json>(named ? *params : json::object());
    return made;
}

}  // namespace

rpc_frame parse_rpc(std::string_view frame) {
    rpc_frame made;
    // The scanner also bounds the nesting.
    auto parsed = messaging::is_json(frame) ? json::parse(frame, nullptr, false) : json(json::value_t::discarded);
    if (parsed.is_discarded()) {
        made.calls.push_back(malformed("", rpc_code::parse_error, "the frame is not JSON in UTF-8"));
        return made;
    }
    if (!parsed.is_array()) {
        made.calls.push_back(parse_call(parsed));
        return made;
    }
    if (parsed.empty()) {
        made.calls.push_back(malformed("", rpc_code::invalid_request, "a batch must not be empty"));
        return made;
    }
    made.is_batch = true;
    for (const auto& each : parsed) made.calls.push_back(parse_call(each));
    return made;
}

std::string rpc_result(const std::string& id, const std::string& result) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string rpc_failure(const std::string& id, const rpc_error& error, const std::string& request_id) {
    json body = {
        {"code", static_cast<int>(error.code)},
        {"message", error.why.message},
        {"data",
         {{"code", to_string(error.why.code)}, {"status", http_status(error.why.code)}, {"request_id", request_id}}}};
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{}}})", id, dump(body));
}

}  // namespace gateway::api::agent
