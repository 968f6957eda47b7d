#include "gateway/api/agent/rpc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "messaging/json_problem.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::size_t most_id_bytes = 1024;
constexpr std::size_t most_method_bytes = 100;

rpc_call malformed(std::string id, rpc_code code, std::string message) {
    rpc_call made;
    made.id = id.empty() ? "null" : std::move(id);
    made.malformed = rpc_error{code, failure{errc::invalid_request, std::move(message)}};
    return made;
}

// A call's members, as JSON text; empty: absent.
struct call_members {
    std::string_view id, jsonrpc, method, params;
    std::string unknown;
};

std::string_view* place_of(std::string_view name, call_members& in) {
    if (name == "id") return &in.id;
    if (name == "jsonrpc") return &in.jsonrpc;
    if (name == "method") return &in.method;
    return name == "params" ? &in.params : nullptr;
}

// False when `text` is no object.
bool read_members(std::string_view text, call_members& into) {
    messaging::member_scanner scanner(text);
    messaging::json_member each;
    while (scanner.next(each)) {
        std::string storage;
        auto name = messaging::key_of(each, storage);
        auto* place = place_of(name, into);
        if (place) *place = each.value;
        if (!place && into.unknown.empty()) into.unknown = name.empty() ? "\"\"" : shown(name);
    }
    return scanner.valid();
}

// A short string's text.
std::optional<std::string> short_text(std::string_view literal, std::size_t most_bytes) {
    if (!messaging::is_string(literal) || literal.size() > most_bytes * 6 + 2) return std::nullopt;
    return messaging::unquote(literal);
}

// Empty when it is good.
std::string id_problem(std::string_view id) {
    if (id.empty()) return {};
    bool is_scalar = id[0] != '{' && id[0] != '[' && id[0] != 't' && id[0] != 'f';
    if (!is_scalar) return "id must be a string, a number or null";
    if (id.size() > most_id_bytes)
        return fmt::format("id has {} bytes; at most {} are taken", id.size(), most_id_bytes);
    auto problem = messaging::json_problem(id);
    return problem.empty() ? problem : "id " + problem;
}

void read_params(std::string_view params, rpc_call& into) {
    auto refuse = [&into](failure why) { into.malformed = rpc_error{rpc_code::invalid_params, std::move(why)}; };
    into.params = std::make_shared<request_object>();
    if (params.empty()) return;
    if (params[0] == '[') {
        messaging::element_scanner elements(params);
        std::string_view any;
        if (elements.next(any)) refuse({errc::invalid_request, "params must be an object: they go by name"});
        return;
    }
    auto read = read_request(params, request_form::with_code, "params");
    if (!read) return refuse(read.error());
    *into.params = std::move(*read);
}

rpc_call read_call(const call_members& from) {
    rpc_call made;
    if (auto problem = id_problem(from.id); !problem.empty())
        return malformed("", rpc_code::invalid_request, std::move(problem));
    made.id = from.id;
    auto refuse = [&](std::string message) {
        return malformed(made.id, rpc_code::invalid_request, std::move(message));
    };
    if (short_text(from.jsonrpc, 3) != "2.0") return refuse("jsonrpc must be \"2.0\"");
    auto method = short_text(from.method, most_method_bytes);
    if (!method) return refuse(fmt::format("method must be a string of at most {} bytes", most_method_bytes));
    if (!from.unknown.empty()) return refuse("unknown member " + from.unknown + " in the call");
    if (!from.params.empty() && from.params[0] != '{' && from.params[0] != '[')
        return refuse("params must be an object");
    made.method = std::move(*method);
    read_params(from.params, made);
    return made;
}

rpc_call parse_call(std::string_view text) {
    call_members members;
    if (!read_members(text, members)) return malformed("", rpc_code::invalid_request, "a call must be an object");
    return read_call(members);
}

rpc_frame only(rpc_call call) {
    rpc_frame made;
    made.calls.push_back(std::move(call));
    return made;
}

rpc_frame no_json(std::string_view frame, std::size_t at) {
    auto problem = problem_of(frame, at);
    if (problem.empty()) problem = "is not JSON";
    return only(malformed("", rpc_code::parse_error, "the frame " + problem));
}

rpc_frame parse_batch(std::string_view frame) {
    rpc_frame made;
    made.is_batch = true;
    messaging::element_scanner elements(frame);
    std::string_view each;
    while (elements.next(each)) {
        if (made.calls.size() == most_batch_calls)
            return only(malformed("", rpc_code::invalid_request,
                                  fmt::format("a batch has at most {} calls", most_batch_calls)));
        made.calls.push_back(parse_call(each));
    }
    if (!elements.valid()) return no_json(frame, elements.at());
    if (made.calls.empty()) return only(malformed("", rpc_code::invalid_request, "a batch must not be empty"));
    return made;
}

}  // namespace

rpc_frame parse_rpc(std::string_view frame) {
    if (!messaging::is_utf8(frame)) return no_json(frame, 0);
    auto start = std::min(frame.find_first_not_of(" \t\r\n"), frame.size());
    if (frame.substr(start, 1) == "[") return parse_batch(frame);
    bool is_object = frame.substr(start, 1) == "{";
    call_members members;
    if (is_object && read_members(frame, members)) return only(read_call(members));
    if (is_object || !messaging::is_json(frame)) return no_json(frame, start);
    return only(malformed("", rpc_code::invalid_request, "a call must be an object"));
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
