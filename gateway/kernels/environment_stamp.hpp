// Whether what a fork server has imported is still what is on disk. Reads the file system. Values; any thread.
#pragma once

#include <map>
#include <string>

#include "gateway/kernels/kernelspec.hpp"

namespace gateway::kernels {

class environment_stamp {
  public:
    // Of a forked spec's program and its environment's site-packages, as they are now: installing, replacing or
    // removing a package changes that directory. Of any other spec it is always the same, for each kernel imports by
    // itself.
    explicit environment_stamp(const kernelspec& spec);
    bool operator==(const environment_stamp&) const = default;

  private:
    std::map<std::string, long long> times_;  // path → when it was last changed, ns; -1: missing
};

}  // namespace gateway::kernels
