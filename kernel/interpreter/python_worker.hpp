// A thread for what needs Python beside the shells: the debugger, starting a subshell's thread. It may wait long for
// the interpreter's lock. Started by its first job. Owned by the kernel.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace kernel {

class python_worker {
  public:
    ~python_worker();  // stop()

    // Any thread. Jobs run in order, each with the interpreter's lock; they throw nothing.
    void post(std::function<void()> job);
    // Drops what waits, and joins. Without the interpreter's lock.
    void stop();

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::thread thread_;
    bool stopped_ = false;
};

}  // namespace kernel
