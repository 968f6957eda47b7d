// How many bytes of output are still in this process, and who waits for them to become fewer. Any thread, libzmq's too.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace kernel {

class unsent_bytes {
  public:
    // `on_room` is called, on whichever thread it happens, each time that they become fewer than the limit again.
    unsent_bytes(std::size_t limit, std::function<void()> on_room);

    void add(std::size_t bytes) { count_.fetch_add(bytes, std::memory_order_acq_rel); }
    void remove(std::size_t bytes);
    std::size_t count() const { return count_.load(std::memory_order_acquire); }
    bool is_full() const { return count() >= limit_; }
    // False when there is no room after `limit`.
    bool wait_for_room(std::chrono::milliseconds limit);

  private:
    const std::size_t limit_;
    const std::function<void()> on_room_;
    std::atomic<std::size_t> count_ = 0;
    std::mutex mutex_;
    std::condition_variable room_;
};

}  // namespace kernel
