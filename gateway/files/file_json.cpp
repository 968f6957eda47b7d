#include "gateway/files/file_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/base/ids.hpp"

namespace gateway::files {

nlohmann::json file_object(const mounts::file_info& of) {
    return {{"path", of.path}, {"size", of.size}, {"last_modified", iso8601(of.modified)}, {"version", of.version}};
}

}  // namespace gateway::files
