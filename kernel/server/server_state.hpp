// What the io thread and everybody else share of a kernel's server. Owned by it.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/server/captured_pipes.hpp"
#include "kernel/server/kept_messages.hpp"
#include "kernel/server/output_queue.hpp"
#include "kernel/server/question_queue.hpp"
#include "kernel/server/unsent_bytes.hpp"
#include "kernel/server/wake_up.hpp"

namespace kernel {

// A kept message that is to be sent again, and the routing ids of the client that asked for it.
struct wanted_again {
    shared_encoded what;
    std::shared_ptr<const std::vector<std::string>> to;
};

class resend_queue {
  public:
    void add(std::vector<shared_encoded> what, std::vector<std::string> to);
    // At least one if there is any, then up to `bytes`, where a small one counts as 1 KiB.
    std::vector<wanted_again> take(std::size_t bytes);
    bool is_empty() const;

  private:
    mutable std::mutex mutex_;
    std::deque<wanted_again> messages_;
};

struct server_state {
    explicit server_state(const server_settings& settings);

    wake_up wake;
    unsent_bytes unsent;
    output_queue outputs;
    question_queue questions;
    kept_messages kept;
    resend_queue again;
    captured_pipes captured;
    std::atomic<bool> is_stopping = false;
};

}  // namespace kernel
