#include "gateway/api/composio/custom_tools.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* must_be = "custom tools must be objects {slug, name, description, input_schema}";

// A JSON value converts to so much that a result must be told which.
result<json> good(json what) { return {boost::system::in_place_value, std::move(what)}; }

result<json> named(const json& tool, const std::string& toolkit) {
    const auto original = text_member(tool, "slug");
    if (original.empty()) return failure{errc::invalid_request, must_be};
    const auto extends = toolkit.empty() ? text_member(tool, "extends_toolkit") : toolkit;
    json made = {{"original_slug", original},
                 {"name", text_member(tool, "name")},
                 {"description", text_member(tool, "description")},
                 {"input_schema", object_schema(to_text(member(tool, "input_schema")))}};
    made["slug"] = "LOCAL_" + (extends.empty() ? "" : tools::slug_part(extends) + "_") + tools::slug_part(original);
    if (member(tool, "output_schema").is_object()) made["output_schema"] = member(tool, "output_schema");
    if (toolkit.empty() && !extends.empty()) made["extends_toolkit"] = extends;
    return good(std::move(made));
}

result<json> named_all(const json& tools, const std::string& toolkit) {
    json made = json::array();
    if (!tools.is_array()) return failure{errc::invalid_request, must_be};
    for (const auto& each : tools) {
        auto one = named(each, toolkit);
        if (!one) return one.error();
        made.push_back(std::move(*one));
    }
    return good(std::move(made));
}

result<json> named_toolkits(const json& toolkits) {
    json made = json::array();
    if (!toolkits.is_array()) return failure{errc::invalid_request, "custom_toolkits must be an array"};
    for (const auto& each : toolkits) {
        const auto slug = text_member(each, "slug");
        if (slug.empty()) return failure{errc::invalid_request, "custom toolkits must have a slug"};
        auto tools = named_all(member(each, "tools"), slug);
        if (!tools) return tools.error();
        made.push_back({{"slug", slug},
                        {"name", text_member(each, "name")},
                        {"description", text_member(each, "description")},
                        {"tools", std::move(*tools)}});
    }
    return good(std::move(made));
}

}  // namespace

result<json> named_custom_tools(const json& experimental) {
    if (!experimental.is_null() && !experimental.is_object())
        return failure{errc::invalid_request, "experimental must be an object"};
    json made = json::object();
    if (const auto& given = member(experimental, "custom_tools"); !given.is_null()) {
        auto tools = named_all(given, "");
        if (!tools) return tools.error();
        made["custom_tools"] = std::move(*tools);
    }
    if (const auto& given = member(experimental, "custom_toolkits"); !given.is_null()) {
        auto toolkits = named_toolkits(given);
        if (!toolkits) return toolkits.error();
        made["custom_toolkits"] = std::move(*toolkits);
    }
    return good(std::move(made));
}

}  // namespace gateway::api::composio
