// JSON documents as text. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gateway::api::agent {

// What is not UTF-8 becomes U+FFFD: a kernel's text must not end a request.
std::string dump(const nlohmann::json& what);

}  // namespace gateway::api::agent
