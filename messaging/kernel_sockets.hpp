// A kernel's sockets seen from its client side: DEALER shell, control and stdin with one identity, SUB iopub (all
// topics, ZMQ_RCVHWM=0), driven by Asio. Owned by one kernel; io thread only. zmq.hpp stays in the .cpp.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "messaging/connection_file.hpp"
#include "messaging/message.hpp"

namespace messaging {

// The ZeroMQ context of the process: one io thread, ZMQ_MAX_SOCKETS raised to 65,536. Outlives every kernel_sockets.
class zmq_context {
  public:
    zmq_context();
    ~zmq_context();
    zmq_context(const zmq_context&) = delete;
    zmq_context& operator=(const zmq_context&) = delete;
    void* native() const;

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

class kernel_sockets {
  public:
    // Connects at once (ZeroMQ reconnects by itself until the kernel binds, every 5 to 50 ms). `on_message` gets every
    // valid message of every channel, in each socket's order; `on_invalid` the reason of one that was refused.
    // Neither is called from inside the constructor or send(). iopub is drained until it is empty whenever it is
    // readable, but control and the other sockets get their turn between batches of 256 messages, and other work of the
    // executor gets its turn between batches.
    kernel_sockets(boost::asio::any_io_executor ex, zmq_context& context, const connection_info& info,
                   std::function<void(message)> on_message,
                   std::function<void(channel, boost::system::error_code)> on_invalid);
    ~kernel_sockets();  // linger 0; no callback afterwards
    kernel_sockets(const kernel_sockets&) = delete;
    kernel_sockets& operator=(const kernel_sockets&) = delete;

    // Signs and queues; never blocks (no high-water mark).
    result<void> send(const message& what);
    // Whether all that an ended kernel sent has been read, and goes to on_message next. Only to be asked once its
    // process is known to be gone; the answer takes some milliseconds to become true.
    bool kernel_has_ended();
    // Sends something on the heartbeat (connected by the first call) and waits for its echo; false when `limit_ms`
    // passes, or the sockets go.
    boost::asio::awaitable<bool> heartbeat(int limit_ms);

  private:
    struct implementation;
    std::shared_ptr<implementation> implementation_;
};

}  // namespace messaging
