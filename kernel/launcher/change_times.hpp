// When files and directories were last changed: whether what a zygote has imported is still what is on disk.
// Reads the file system; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernel {

// Path → time of its last change, ns; -1 when it is missing. Equal when nothing has changed: installing, replacing or
// removing a package changes the directory that it is in.
using change_times = std::map<std::string, long long>;

change_times change_times_of(const std::vector<std::string>& paths);

}  // namespace kernel
