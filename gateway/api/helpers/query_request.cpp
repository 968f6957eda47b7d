#include "gateway/api/helpers/query_request.hpp"

#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

}  // namespace

result<query_request> parse_query_request(std::string_view body, bool with_effort) {
    const std::string fields = with_effort ? "query and reasoning_effort" : "query";
    auto parsed = tools::parse_json(body);
    if (!parsed || !parsed->is_object()) return refuse("the body must be a JSON object with " + fields);
    query_request made;
    for (const auto& [key, value] : parsed->items()) {
        if (key == "query") {
            if (!value.is_string()) return refuse("query must be a text");
            made.query = value.get<std::string>();
        } else if (key == "reasoning_effort" && with_effort) {
            if (!value.is_string() && !value.is_null()) return refuse("reasoning_effort must be a text or null");
            if (value.is_string()) made.reasoning_effort = value.get<std::string>();
        } else {
            return failure{errc::unknown_field,
                           "unknown field \"" + key.substr(0, 100) + "\": this call has " + fields};
        }
    }
    if (made.query.empty()) return refuse("query is missing or empty: say what is asked");
    return made;
}

}  // namespace gateway::api::helpers
