// Requests on their way to the thread of one shell. Any thread puts; the shell's thread takes.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "messaging/message.hpp"

namespace kernel {

class shell_queue {
  public:
    shell_queue();  // throws std::system_error when there is no descriptor left

    // Dropped when the queue is closed.
    void put(messaging::message what);
    std::optional<messaging::message> take();
    // Every execute_request that waits, in order; what else waits stays.
    std::vector<messaging::message> take_executes();
    // Nothing is put any more; what waits can still be taken.
    void close();
    // The same, and what waited is the caller's.
    std::vector<messaging::message> close_and_take();
    bool closed() const;
    // Readable while something waits or the queue is closed.
    int event() const { return event_.get(); }

  private:
    void signal();

    file_descriptor event_;
    mutable std::mutex mutex_;
    std::deque<messaging::message> waiting_;
    bool closed_ = false;
};

}  // namespace kernel
