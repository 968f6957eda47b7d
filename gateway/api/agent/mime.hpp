// The outputs of Jupyter messages as JSON for agents and notebooks. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "messaging/message.hpp"

namespace gateway::api::agent {

// The message's content; an empty object when it is none, or nested beyond reason.
nlohmann::json content_object(const messaging::message& from);
// The string in a member; empty when there is none.
std::string text_member(const nlohmann::json& object, const char* name);
// An object in a member; an empty one when there is none.
nlohmann::json object_member(const nlohmann::json& object, const char* name);

// A display's `data` as nbformat takes it: strings, and for JSON types any value.
nlohmann::json mime_bundle(const nlohmann::json& content);
// In place of a display that the log no longer has.
nlohmann::json lost_bundle();

std::string to_base64(const std::string& bytes);

}  // namespace gateway::api::agent
