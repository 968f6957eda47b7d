// Where one absolute path lies to another, by their text. Pure; any thread.
#pragma once

#include <string>

namespace gateway::kernels {

// The directory itself, too.
inline bool is_under(const std::string& path, const std::string& directory) {
    return path == directory || directory == "/" || path.starts_with(directory + "/");
}

}  // namespace gateway::kernels
