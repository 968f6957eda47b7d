// What the io thread and everybody else share of a kernel's server. Owned by it.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/server/captured_pipes.hpp"
#include "kernel/server/kept_messages.hpp"
#include "kernel/server/output_queue.hpp"
#include "kernel/server/unsent_bytes.hpp"
#include "kernel/server/wake_up.hpp"

namespace kernel {

// Kept messages that are to be sent again, before what is new.
class resend_queue {
  public:
    void add(std::vector<shared_encoded> what);
    std::vector<shared_encoded> take(std::size_t most);
    bool is_empty() const;

  private:
    mutable std::mutex mutex_;
    std::deque<shared_encoded> messages_;
};

struct server_state {
    explicit server_state(const server_settings& settings);

    wake_up wake;
    unsent_bytes unsent;
    output_queue outputs;
    kept_messages kept;
    resend_queue again;
    captured_pipes captured;
    std::atomic<bool> is_stopping = false;
};

}  // namespace kernel
