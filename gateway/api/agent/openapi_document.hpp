// openapi.json as text; the build makes the .cpp.
#pragma once

#include <string_view>

namespace gateway::api::agent {

extern const std::string_view openapi_document;

}  // namespace gateway::api::agent
