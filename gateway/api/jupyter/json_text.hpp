// Small pieces of JSON that are written without building a document. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway::api::jupyter {

// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace gateway::api::jupyter
