// The outputs of Jupyter messages as JSON for agents and notebooks. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gateway::api::agent {

// A display's `data` as nbformat takes it: strings, and for JSON types any value.
nlohmann::json mime_bundle(const nlohmann::json& content);
// In place of a display that the log no longer has.
nlohmann::json lost_bundle(bool restored);

}  // namespace gateway::api::agent
