// Listening sockets made by hand, so that an address is ours before libzmq, and with it a thread, exists. Any thread.
#pragma once

#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "messaging/connection_file.hpp"
#include "messaging/error.hpp"

namespace kernel {

// One listening socket, and the file that it has when it is an ipc one; the file goes with its owner.
class listener {
  public:
    // At where.endpoint(port). A tcp port of 0 is replaced by the one that was free. Clients may connect from now on.
    static messaging::result<listener> make(const messaging::connection_info& where, int& port);

    listener(listener&&) noexcept = default;
    listener& operator=(listener&&) = delete;
    ~listener();

    const std::string& endpoint() const { return endpoint_; }
    int descriptor() const { return socket_.get(); }
    // Gives the descriptor away; the file stays ours.
    int release() { return socket_.release(); }

  private:
    listener(file_descriptor socket, std::string endpoint, std::string path);

    file_descriptor socket_;
    std::string endpoint_;
    std::string path_;  // empty for tcp
};

}  // namespace kernel
