// The control channel's thread: what it answers needs no Python, so that it answers while a cell holds the
// interpreter's lock; the rest it passes on. Owned by the kernel.
#pragma once

#include <thread>

#include "kernel/interpreter/shell_queue.hpp"

namespace kernel {

class kernel_process;

class control_thread {
  public:
    explicit control_thread(kernel_process& owner) : owner_(owner) {}
    ~control_thread();  // stop()

    void start();
    void put(messaging::message what) { queue_.put(std::move(what)); }
    // Any thread but its own.
    void stop();

  private:
    void run();

    kernel_process& owner_;
    shell_queue queue_;
    std::thread thread_;
};

}  // namespace kernel
