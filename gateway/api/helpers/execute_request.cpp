#include "gateway/api/helpers/execute_request.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/tools/json_text.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::helpers {
namespace {

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

result<void> read_account(std::string_view account, execute_request& into) {
    if (account == "null") return {};
    if (!messaging::is_string(account)) return refuse("account must be a string or null");
    into.account = messaging::unquote(account);
    return {};
}

result<void> read_member(const messaging::json_member& member, execute_request& into) {
    if (member.key == "tool_slug") {
        if (!messaging::is_string(member.value)) return refuse("tool_slug must be a string such as \"TOOLKIT_TOOL\"");
        into.tool_slug = messaging::unquote(member.value);
        return {};
    }
    if (member.key == "arguments") {
        if (!messaging::is_object(member.value)) return refuse("arguments must be an object; {} for none");
        into.arguments = member.value;
        return {};
    }
    if (member.key == "account") return read_account(member.value, into);
    return failure{errc::unknown_field, "unknown field \"" + std::string(member.key.substr(0, 100)) +
                                            "\": a call has tool_slug, arguments and account"};
}

// What a strict reader takes for JSON: a tool server may be one.
bool is_strict(std::string_view body) {
    return !tools::is_too_deep(body) && messaging::is_utf8(body) &&
           messaging::find_lone_surrogate(body) == std::string_view::npos;
}

}  // namespace

// Only scanned: a tree of what may have megabytes would be many times as large.
result<execute_request> parse_execute_request(std::string_view body) {
    execute_request made;
    messaging::member_scanner members(body);
    bool is_object = is_strict(body);
    for (messaging::json_member each; is_object && members.next(each);)
        if (auto read = read_member(each, made); !read) return read.error();
    if (!is_object || !members.valid())
        return refuse("the body must be a JSON object {tool_slug, arguments}, nested at most " +
                      std::to_string(tools::max_json_depth) + " deep");
    if (made.tool_slug.empty()) return refuse("tool_slug is missing: name a tool such as \"TOOLKIT_TOOL\"");
    return made;
}

std::string failure_body(const std::string& text, const std::string& log_id) {
    nlohmann::json body = {{"data", nlohmann::json::object()}, {"error", text}, {"log_id", log_id}};
    return tools::to_text(body);
}

}  // namespace gateway::api::helpers
