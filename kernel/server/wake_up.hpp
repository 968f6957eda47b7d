// Wakes the io thread; a descriptor that it can poll. Any thread rings, the io thread clears.
#pragma once

#include <atomic>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

class wake_up {
  public:
    wake_up();  // throws std::system_error when there is no descriptor left

    void ring();
    // To be called before looking for what it was rung for.
    void clear();
    int descriptor() const { return event_.get(); }

  private:
    file_descriptor event_;
    std::atomic<bool> is_rung_ = false;  // saves a system call for each but the first
};

}  // namespace kernel
