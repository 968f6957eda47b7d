// A file as answers tell it. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "mounts/file_store.hpp"

namespace gateway::files {

// {"path", "size", "last_modified", "version"}
nlohmann::json file_object(const mounts::file_info& of);

}  // namespace gateway::files
