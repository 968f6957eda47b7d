#include "gateway/api/jupyter/kernelspec_json.hpp"

#include <nlohmann/json.hpp>

namespace gateway::api::jupyter {
namespace {

using nlohmann::json;

json object_or_empty(const std::string& text) {
    auto parsed = json::parse(text, nullptr, false);
    return parsed.is_object() ? parsed : json::object();
}

// kernel.json keeps what we do not know; what we do know comes from the parsed spec, so that an attach kernelspec and a
// kernel.json without the optional fields both have all of them.
json spec_fields(const kernels::kernelspec& spec) {
    json fields = object_or_empty(spec.json);
    fields["argv"] = spec.argv;
    fields["env"] = spec.env;
    fields["display_name"] = spec.display_name;
    fields["language"] = spec.language;
    fields["interrupt_mode"] = spec.interrupt_mode;
    fields["metadata"] = object_or_empty(spec.metadata);
    return fields;
}

json resource_links(const kernels::kernelspec& spec, const std::string& base_url) {
    json links = json::object();
    for (const auto& [name, file] : spec.resources) links[name] = base_url + "kernelspecs/" + spec.name + "/" + file;
    return links;
}

json model_of(const kernels::kernelspec& spec, const std::string& base_url) {
    return {{"name", spec.name}, {"spec", spec_fields(spec)}, {"resources", resource_links(spec, base_url)}};
}

std::string print(const json& what) { return what.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string kernelspec_model(const kernels::kernelspec& spec, const std::string& base_url) {
    return print(model_of(spec, base_url));
}

std::string kernelspec_models(const std::vector<kernels::kernelspec>& specs, const std::string& default_name,
                              const std::string& base_url) {
    json models = json::object();
    for (const auto& each : specs) models[each.name] = model_of(each, base_url);
    return print({{"default", default_name}, {"kernelspecs", std::move(models)}});
}

}  // namespace gateway::api::jupyter
