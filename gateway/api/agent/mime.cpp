#include "gateway/api/agent/mime.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "gateway/sessions/json_reading.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// nbformat 4.5: ^application/(.*\+)?json$
bool is_json_type(const std::string& mime) {
    return mime == "application/json" ||
           (mime.starts_with("application/") && mime.ends_with("+json") && mime.find('\n') == std::string::npos);
}

bool is_lines(const json& value) {
    if (!value.is_array()) return false;
    for (const auto& each : value)
        if (!each.is_string()) return false;
    return true;
}

}  // namespace

json mime_bundle(const json& content) {
    auto bundle = sessions::object_of(content, "data");
    for (auto& [mime, value] : bundle.items())
        if (!value.is_string() && !is_lines(value) && !is_json_type(mime)) value = dump(value);
    return bundle;
}

json lost_bundle(bool restored) {
    const auto* why =
        restored ? "the gateway has started again since" : "the session's log passed output_log.disk_bytes";
    return {{"text/plain", std::string("[cellgate: this output is no longer kept: ") + why + "]"}};
}

}  // namespace gateway::api::agent
