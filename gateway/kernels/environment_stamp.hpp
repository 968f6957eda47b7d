// Whether what a fork server has imported is still what is on disk. Reads the file system. Values; any thread.
#pragma once

#include "gateway/kernels/kernelspec.hpp"
#include "kernel/launcher/change_times.hpp"

namespace gateway::kernels {

class environment_stamp {
  public:
    // Of a forked spec's program and its environment's site-packages, as they are now: installing, replacing or
    // removing a package changes that directory. Of any other spec it is always the same, for each kernel imports by
    // itself.
    explicit environment_stamp(const kernelspec& spec);
    bool operator==(const environment_stamp&) const = default;

  private:
    ::kernel::change_times times_;
};

}  // namespace gateway::kernels
