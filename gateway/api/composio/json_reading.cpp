#include "gateway/api/composio/json_reading.hpp"

#include <nlohmann/json.hpp>

namespace gateway::api::composio {

const json& member(const json& object, const char* name) {
    static const json none;
    if (!object.is_object()) return none;
    auto found = object.find(name);
    return found == object.end() ? none : *found;
}

result<void> check_size(const std::string& body, std::size_t most_bytes) {
    if (body.size() <= most_bytes) return {};
    return failure{errc::too_large, "the body has " + std::to_string(body.size()) + " bytes; at most " +
                                        std::to_string(most_bytes) + " are taken here"};
}

result<tools::shared_json> read_body(const std::string& body, std::size_t most_bytes) {
    if (auto good = check_size(body, most_bytes); !good) return good.error();
    auto parsed = tools::parse_json(body.empty() ? "{}" : body);
    if (!parsed || !parsed->is_object())
        return failure{errc::invalid_request, "the body must be a JSON object in UTF-8, nested at most " +
                                                  std::to_string(tools::max_json_depth) + " deep"};
    return parsed;
}

}  // namespace gateway::api::composio
