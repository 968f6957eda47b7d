// Whether what a Python environment is made of has changed on disk. Values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kernel {

class environment_stamp {
  public:
    environment_stamp() = default;
    // Of these directories and files as they are now; one that is missing counts too. Installing or removing a package
    // changes the directory that it is in.
    explicit environment_stamp(const std::vector<std::string>& paths);
    bool has_changed() const;

  private:
    std::map<std::string, long long> times_;  // of the last change, ns; -1: missing
};

}  // namespace kernel
