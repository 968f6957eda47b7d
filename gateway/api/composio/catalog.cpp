#include "gateway/api/composio/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* only_version = "00000000_00";
constexpr const char* any_object = R"({"type":"object","properties":{}})";

std::vector<meta_tool> enabled_meta_tools(const configuration& with) {
    std::vector<meta_tool> made;
    std::copy_if(meta_tools().begin(), meta_tools().end(), std::back_inserter(made),
                 [&](const auto& each) { return check_enabled(with, each.which).has_value(); });
    return made;
}

listed_tool listed(const meta_tool& from) {
    std::vector<std::string> tags = from.read_only ? std::vector<std::string>{"readOnlyHint"}
                                                   : std::vector<std::string>{"destructiveHint", "openWorldHint"};
    return {from.slug, from.name, from.description, "composio", from.input, from.output, std::move(tags)};
}

listed_tool listed(const tool_description& from) {
    return {from.slug,         from.name,  from.description, toolkit_name(from.toolkit),
            from.input_schema, any_object, from.hints};
}

std::set<std::string> preloaded(const configuration& with) {
    std::set<std::string> made;
    for (const auto& each : with.preload) made.insert(tools::normalized_slug(each));
    return made;
}

}  // namespace

tools::tool_filter filter_of(std::shared_ptr<const configuration_version> version) {
    if (!version || !version->what.has_filters()) return {};
    return [version = std::move(version)](const tool_description& each) {
        return version->what.admits(each.toolkit, each.slug, each.hints);
    };
}

awaitable<std::vector<tool_description>> allowed_tools(tools::toolbox& all, const configuration& with) {
    auto made = co_await all.list();
    std::erase_if(made, [&](const auto& each) { return !with.admits(each.toolkit, each.slug, each.hints); });
    co_return made;
}

awaitable<std::vector<listed_tool>> listed_tools(tools::toolbox& all, const configuration& with) {
    std::vector<listed_tool> made;
    for (const auto& each : enabled_meta_tools(with)) made.push_back(listed(each));
    if (!with.preload_all && with.preload.empty()) co_return made;
    const auto wanted = preloaded(with);
    for (const auto& each : co_await allowed_tools(all, with))
        if (with.preload_all || wanted.contains(each.slug)) made.push_back(listed(each));
    co_return made;
}

std::vector<std::string> listed_slugs(const configuration& with) {
    std::vector<std::string> made;
    for (const auto& each : enabled_meta_tools(with)) made.emplace_back(each.slug);
    for (const auto& each : preloaded(with))
        if (!find_meta(each)) made.push_back(each);
    return made;
}

json shown_tool(const listed_tool& from) {
    const json toolkit = {{"slug", from.toolkit}, {"name", from.toolkit}, {"logo", ""}};
    const json versions = json::array({only_version});
    json made = {{"slug", from.slug},
                 {"name", from.name},
                 {"description", from.description},
                 {"human_description", from.description},
                 {"input_parameters", object_schema(from.input)},
                 {"output_parameters", object_schema(from.output)},
                 {"no_auth", true},
                 {"scopes", json::array()},
                 {"scope_requirements", nullptr},
                 {"tags", from.tags},
                 {"toolkit", toolkit},
                 {"version", only_version},
                 {"available_versions", versions},
                 {"is_deprecated", false}};
    made["deprecated"] = {{"displayName", from.name},
                          {"version", only_version},
                          {"available_versions", versions},
                          {"is_deprecated", false},
                          {"toolkit", {{"logo", ""}}}};
    return made;
}

json object_schema(const std::string& text) {
    auto parsed = tools::parse_json(text);
    json made = parsed && parsed->is_object() ? *parsed : json::object();
    made["type"] = "object";
    if (!member(made, "properties").is_object()) made["properties"] = json::object();
    return made;
}

}  // namespace gateway::api::composio
