#include "gateway/api/agent/request_object.hpp"

#include <fmt/format.h>

#include "messaging/json_problem.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::agent {
namespace {

constexpr std::size_t most_shown_bytes = 100;
// A member costs memory however short it is.
constexpr std::size_t member_cost = 32;

failure no_object(std::string_view text, std::size_t at, const char* what) {
    auto problem = problem_of(text, at);
    return {errc::invalid_request, fmt::format("{} {}", what, problem.empty() ? "must be a JSON object" : problem)};
}

failure over_limit(std::size_t bytes, const char* what, const char* without) {
    return {errc::too_large,
            fmt::format("{} has {} bytes{}; at most {} are taken", what, bytes, without, most_request_bytes)};
}

struct scanned {
    request_object object;
    std::string_view code;  // its literal; empty when the last `code` is none or no string
    std::size_t beside_code = 0;
};

void take(const messaging::json_member& from, scanned& into) {
    std::string storage;
    auto name = messaging::key_of(from, storage);
    into.beside_code += from.key.size() + member_cost;
    if (name == "code") into.code = messaging::is_string(from.value) ? from.value : std::string_view();
    if (name == "code" && !into.code.empty()) return;
    into.beside_code += from.value.size();
    if (into.beside_code <= most_request_bytes)
        into.object.members.insert_or_assign(std::string(name), std::string(from.value));
}

result<request_object> finish(scanned from) {
    if (from.code.empty()) return std::move(from.object);
    auto problem = messaging::literal_problem(from.code);
    if (!problem.empty()) return failure{errc::invalid_request, "code " + problem};
    from.object.members.erase("code");
    from.object.code = messaging::unquote(from.code);
    return std::move(from.object);
}

}  // namespace

result<request_object> read_request(std::string_view text, request_form form, const char* what) {
    auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return request_object{};
    if (form == request_form::plain && text.size() > most_request_bytes) return over_limit(text.size(), what, "");
    messaging::member_scanner scanner(text);
    messaging::json_member each;
    scanned found;
    while (scanner.next(each)) {
        take(each, found);
        if (found.beside_code > most_request_bytes) return over_limit(found.beside_code, what, " beside code");
    }
    if (!scanner.valid() || !messaging::is_utf8(text)) return no_object(text, scanner.at(), what);
    return finish(std::move(found));
}

std::string problem_of(std::string_view text, std::size_t at) {
    bool is_small = text.size() <= most_request_bytes;
    return is_small ? messaging::json_problem(text) : messaging::large_json_problem(text, at);
}

std::string shown(std::string_view text) {
    if (text.size() <= most_shown_bytes) return std::string(text);
    return std::string(messaging::first_bytes(text, most_shown_bytes)) + "…";
}

}  // namespace gateway::api::agent
