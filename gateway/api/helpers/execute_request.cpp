#include "gateway/api/helpers/execute_request.hpp"

#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

// Toolkits from the configuration have one identity, their server's own: a name for another one cannot be honoured.
result<void> check_account(const nlohmann::json& account) {
    if (account.is_null()) return {};
    if (!account.is_string()) return refuse("account must be a string or null");
    return refuse("account cannot be chosen: this gateway's toolkits have no connected accounts; leave it out");
}

}  // namespace

result<execute_request> parse_execute_request(std::string_view body) {
    auto parsed = tools::parse_json(body);
    if (!parsed || !parsed->is_object())
        return refuse("the body must be a JSON object {tool_slug, arguments}, nested at most " +
                      std::to_string(tools::max_json_depth) + " deep");
    execute_request made;
    for (const auto& [key, value] : parsed->items()) {
        if (key == "tool_slug") {
            if (!value.is_string()) return refuse("tool_slug must be a string such as \"TOOLKIT_TOOL\"");
            made.tool_slug = value.get<std::string>();
        } else if (key == "arguments") {
            if (!value.is_object()) return refuse("arguments must be an object; {} for none");
            made.arguments = tools::to_text(value);
        } else if (key == "account") {
            if (auto checked = check_account(value); !checked) return checked.error();
        } else {
            return failure{errc::unknown_field,
                           "unknown field \"" + key + "\": a call has tool_slug, arguments and account"};
        }
    }
    if (made.tool_slug.empty()) return refuse("tool_slug is missing: name a tool such as \"TOOLKIT_TOOL\"");
    return made;
}

std::string failure_body(const std::string& text, const std::string& log_id) {
    nlohmann::json body = {{"data", nlohmann::json::object()}, {"error", text}, {"log_id", log_id}};
    return tools::to_text(body);
}

}  // namespace gateway::api::helpers
