// Removes what a kernel left, whatever that is: deep trees, directories without permissions, links, immutable files.
// Never follows a symbolic link and never enters another mount. Any thread; takes as long as there are files.
#pragma once

#include <string>

#include "mounts/problem.hpp"

namespace mounts {

// `name` in the directory `parent`, an open descriptor; that it does not exist is no problem. Removes as much as it can
// and answers the first thing that it could not.
result<void> remove_tree(int parent, const std::string& name);
// The same, by an absolute path.
result<void> remove_tree(const std::string& path);

}  // namespace mounts
