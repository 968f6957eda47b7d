// A kernel's sockets seen from its client side: DEALER shell, control and stdin with one identity, SUB iopub (all
// topics), REQ for the heartbeat. Owned by one kernel; io thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "messaging/connection_file.hpp"
#include "messaging/message.hpp"

namespace boost::asio {
class thread_pool;
}

namespace messaging {

class kernel_sockets {
  public:
    // Connects as soon as the executor runs, and tries every 5 to 50 ms until the kernel binds. `on_message` gets every
    // valid message of every channel, in each socket's order; `on_invalid` the reason of one that was refused, or of a
    // connection that was given up. Neither is called from inside the constructor or send(). A socket is read until it
    // is empty, but the others and all other work of the executor get their turn between batches of 256 messages or
    // 1 MiB. With a `pool` the signature of a message over 1 MiB is checked there, and its socket waits for it.
    kernel_sockets(boost::asio::any_io_executor ex, const connection_info& info,
                   std::function<void(message)> on_message,
                   std::function<void(channel, boost::system::error_code)> on_invalid,
                   boost::asio::thread_pool* pool = nullptr);
    ~kernel_sockets();  // what was not sent is dropped; no callback afterwards
    kernel_sockets(const kernel_sockets&) = delete;
    kernel_sockets& operator=(const kernel_sockets&) = delete;

    // Signs and queues; never blocks (no high-water mark).
    result<void> send(const message& what);
    // Whether every socket that was connected was read to its end, and all of it went to on_message. Only to be asked
    // once the kernel's process is known to be gone: before, it is also true of a kernel that has not bound yet.
    bool kernel_has_ended();
    // Sends something on the heartbeat (connected by the first call) and waits for its echo; false when `limit_ms`
    // passes, or the sockets go.
    boost::asio::awaitable<bool> heartbeat(int limit_ms);

  private:
    struct implementation;
    std::shared_ptr<implementation> implementation_;
};

}  // namespace messaging
