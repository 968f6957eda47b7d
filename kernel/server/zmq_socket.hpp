// libzmq's context and sockets, owned. A socket is used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "kernel/server/encoded_message.hpp"
#include "kernel/server/listener.hpp"
#include "kernel/server/unsent_bytes.hpp"
#include "messaging/wire.hpp"

namespace kernel {

class zmq_context {
  public:
    zmq_context();   // throws std::system_error
    ~zmq_context();  // waits until the lingering of its sockets is over
    zmq_context(const zmq_context&) = delete;
    zmq_context& operator=(const zmq_context&) = delete;

    void* get() const { return context_; }

  private:
    void* context_;
};

// Bytes that libzmq needs to hold a frame, besides its own.
inline constexpr std::size_t cost_of_frame = 128;

struct socket_kind {
    bool publishes = false;          // XPUB that tells of each subscription; otherwise ROUTER
    bool reports_strangers = false;  // send() fails when its peer is not connected; otherwise it drops the message
    bool drops = false;  // what a peer does not read, after 1000 messages; otherwise nothing is ever dropped
    std::int64_t largest_frame = -1;  // bytes; a peer that announces more is disconnected
};

class zmq_socket {
  public:
    // Listens where `at` does, with its descriptor. Throws std::system_error.
    zmq_socket(const zmq_context& context, const socket_kind& kind, listener& at, std::chrono::milliseconds linger);
    ~zmq_socket();
    zmq_socket(const zmq_socket&) = delete;
    zmq_socket& operator=(const zmq_socket&) = delete;

    void* get() const { return socket_; }
    // The next whole message; false when there is none. One with more frames than messaging::max_frames comes cut
    // behind the first that is too many; one that memory does not suffice for comes empty.
    bool receive(messaging::frames& into);
    // Without waiting, and without a copy of what is large. `unsent`, which outlives the context, counts its bytes, and
    // cost_of_frame for each of its frames, until libzmq has written the last. False when the socket
    // reports strangers and the first frame names one.
    bool send(const shared_encoded& what, unsent_bytes* unsent = nullptr);

  private:
    void* socket_;
};

}  // namespace kernel
