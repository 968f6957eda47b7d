#include "gateway/sessions/kept_settings.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "gateway/sessions/json_reading.hpp"

namespace gateway::sessions {
namespace {

using nlohmann::json;

std::string text_from(const json& from) { return from.dump(-1, ' ', false, json::error_handler_t::replace); }

std::optional<milliseconds> duration_of(const json& from, const char* name) {
    auto found = from.find(name);
    if (found == from.end() || !found->is_number_integer()) return std::nullopt;
    return milliseconds(found->get<std::int64_t>());
}

void set(json& into, const char* name, const std::optional<milliseconds>& value) {
    if (value) into[name] = value->count();
}

// As it was checked when it was made, whatever may be configured now. One that cannot be read lets nothing out.
egress::policy network_of(const json& from) {
    auto read = egress::parse_policy(from, std::numeric_limits<std::size_t>::max());
    return read ? *read : egress::policy();
}

json usage_object(const kept_usage& from) {
    return {{"calls", from.calls}, {"prompt", from.prompt_tokens}, {"completion", from.completion_tokens}};
}

kept_usage usage_of(const json& from) {
    auto number = [&](const char* name) -> std::uint64_t {
        auto found = from.find(name);
        return found != from.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
    };
    return {number("calls"), number("prompt"), number("completion")};
}

}  // namespace

std::string settings_text(const session_options& from) {
    json made = {{"sandbox", parse_object(from.sandbox)}};
    set(made, "cell_timeout_ms", from.cell_timeout);
    set(made, "idle_timeout_ms", from.idle_timeout);
    set(made, "lifetime_ms", from.lifetime);
    if (from.settings.error_correction)
        made["error_correction"] = json::parse(to_json(*from.settings.error_correction));
    if (from.settings.install) made["install"] = *from.settings.install;
    if (from.network) made["network"] = egress::to_json(*from.network);
    return text_from(made);
}

void read_settings(const std::string& text, session_options& into) {
    const auto from = parse_object(text);
    into.sandbox = text_from(object_of(from, "sandbox"));
    into.cell_timeout = duration_of(from, "cell_timeout_ms");
    into.idle_timeout = duration_of(from, "idle_timeout_ms");
    into.lifetime = duration_of(from, "lifetime_ms");
    if (auto mode = from.find("error_correction"); mode != from.end())
        into.settings.error_correction = parse_correction_mode(text_from(*mode));
    if (auto install = from.find("install"); install != from.end() && install->is_boolean())
        into.settings.install = install->get<bool>();
    if (auto network = from.find("network"); network != from.end()) into.network = network_of(*network);
}

std::string usage_text(const kept_session& from) {
    const json made = {{"model", usage_object(from.model)}, {"searches", usage_object(from.searches)}};
    return text_from(made);
}

void read_usage(const std::string& text, kept_session& into) {
    const auto from = parse_object(text);
    into.model = usage_of(object_of(from, "model"));
    into.searches = usage_of(object_of(from, "searches"));
}

std::string variables_text(const std::map<std::string, std::string>& env) { return text_from(json(env)); }

std::map<std::string, std::string> read_variables(const std::string& text) {
    std::map<std::string, std::string> made;
    const auto all = parse_object(text);
    for (const auto& [name, value] : all.items())
        if (value.is_string()) made[name] = value.get<std::string>();
    return made;
}

}  // namespace gateway::sessions
