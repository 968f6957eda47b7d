// Where a kernel's socket listens, and how to connect to it. A value; any thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "messaging/error.hpp"

namespace messaging {

class endpoint {
  public:
    // "ipc:///run/k/k-1" or "tcp://127.0.0.1:4711"; addresses are numeric: no name is looked up between messages.
    static result<endpoint> parse(std::string_view text);

    struct attempt {
        int descriptor = -1;      // nonblocking, close-on-exec; the caller's
        bool is_pending = false;  // connected once it is writable and finish() says so
    };
    // The directory of an ipc socket is the gateway's, but what lies in it may be made by a program that is not
    // trusted: only a socket in that very directory is connected to, never what a link leads to (errc::unsafe_socket).
    // Paths may be longer than the 107 bytes of a socket's address.
    result<attempt> connect() const;
    // What became of an attempt that was pending.
    static result<void> finish(int descriptor);

  private:
    struct ipc_path {
        std::string directory;
        std::string name;
    };
    using place = std::variant<ipc_path, boost::asio::ip::tcp::endpoint>;

    explicit endpoint(place where);
    static result<attempt> connect_to(const ipc_path& where);
    static result<attempt> connect_to(const boost::asio::ip::tcp::endpoint& where);

    place where_;
};

}  // namespace messaging
