// The newest messages of iopub, for a client that was away. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "kernel/server/encoded_message.hpp"
#include "kernel/server/kernel_server.hpp"

namespace kernel {

class kept_messages {
  public:
    // Keeps as many of the newest as have at most `limit` bytes together.
    explicit kept_messages(std::size_t limit);

    // In the order of their numbers. To be called before the message is sent, so that whoever could have received it
    // finds it here.
    void keep(shared_encoded what);

    struct found {
        kernel_server::resent range;
        std::vector<shared_encoded> messages;
    };
    found find_after(std::uint64_t number) const;

  private:
    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::deque<shared_encoded> messages_;
    std::size_t size_ = 0;
    std::uint64_t last_ = 0;
};

}  // namespace kernel
