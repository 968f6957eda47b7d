#include "gateway/api/helpers/package_request.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

constexpr std::size_t most_body_bytes = 256u << 10;
constexpr std::size_t most_text_bytes = 500;
constexpr std::size_t most_items = 500;

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

failure unknown(const std::string& name, const char* known) {
    return {errc::unknown_field, fmt::format("unknown field \"{}\": {}", messaging::first_bytes(name, 100), known)};
}

result<std::string> short_text(const json& value, const char* name) {
    if (!value.is_string() || value.get_ref<const std::string&>().size() > most_text_bytes)
        return refuse(fmt::format("{} must be a string of at most {} bytes", name, most_text_bytes));
    return value.get<std::string>();
}

result<packages::wanted_package> parse_module(const json& item) {
    if (!item.is_object()) return refuse("modules must hold objects {module, distribution}");
    packages::wanted_package made;
    for (const auto& [name, value] : item.items()) {
        if (name != "module" && name != "distribution") return unknown(name, "a module has module and distribution");
        auto text = short_text(value, name.c_str());
        if (!text) return text.error();
        (name == "module" ? made.module : made.requirement) = std::move(*text);
    }
    if (made.module.empty()) return refuse("module is missing: name what the cell imports");
    if (made.requirement.empty()) made.requirement = made.module.substr(0, made.module.find('.'));
    return made;
}

result<packages::wanted_package> parse_requirement(const json& item) {
    auto text = short_text(item, "each requirement");
    if (!text) return text.error();
    return packages::wanted_package{{}, std::move(*text)};
}

template <class Parse>
result<std::vector<packages::wanted_package>> parse_list(const json& value, const char* name, Parse parse) {
    if (!value.is_array() || value.empty() || value.size() > most_items)
        return refuse(fmt::format("{} must be a list of 1 to {}", name, most_items));
    std::vector<packages::wanted_package> all;
    for (const auto& item : value) {
        auto one = parse(item);
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    return all;
}

result<void> take(package_call& into, const std::string& name, const json& value) {
    if (name == "parent") {
        auto text = short_text(value, "parent");
        if (!text) return text.error();
        into.parent = std::move(*text);
    } else if (name == "upgrade") {
        if (!value.is_boolean()) return refuse("upgrade must be true or false");
        into.upgrade = value.get<bool>();
    } else if (name == "modules" || name == "requirements") {
        if (!into.wanted.empty()) return refuse("give either modules or requirements");
        auto all = name == "modules" ? parse_list(value, "modules", parse_module)
                                     : parse_list(value, "requirements", parse_requirement);
        if (!all) return all.error();
        into.wanted = std::move(*all);
    } else {
        return unknown(name, "a call has parent, modules or requirements, and upgrade");
    }
    return {};
}

}  // namespace

result<package_call> parse_package_call(std::string_view body) {
    if (body.size() > most_body_bytes)
        return failure{errc::too_large, fmt::format("a call for packages has at most {} bytes", most_body_bytes)};
    auto parsed = tools::parse_json(body);
    if (!parsed || !parsed->is_object())
        return refuse("the body must be a JSON object {parent, modules} or {parent, requirements}");
    package_call made;
    for (const auto& [name, value] : parsed->items())
        if (auto taken = take(made, name, value); !taken) return taken.error();
    if (made.wanted.empty()) return refuse("modules or requirements are missing: say what to install");
    return made;
}

std::string package_answer(const packages::package_outcome& from, bool by_module) {
    json installed = json::array(), refused = json::array();
    for (const auto& each : from.installed) {
        json one = {{"name", each.name}, {"version", each.version}};
        if (!each.module.empty()) one["module"] = each.module;
        installed.push_back(std::move(one));
    }
    for (const auto& each : from.refused)
        refused.push_back({{by_module ? "module" : "requirement", each.what}, {"reason", each.reason}});
    json made = {{"installed", std::move(installed)}, {"refused", std::move(refused)}};
    return tools::to_text(made);
}

}  // namespace gateway::api::helpers
