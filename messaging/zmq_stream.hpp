// One ZeroMQ socket whose messages arrive as Asio events. Owned by kernel_sockets; io thread only.
// ZMQ_FD is edge-triggered: it is waited for only after a read found the socket empty, and ZMQ_EVENTS is read again
// after every send.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "messaging/error.hpp"
#include "messaging/wire.hpp"

namespace messaging {

class zmq_stream {
  public:
    enum class kind { dealer, subscriber };
    // Messages read before other work of the executor gets its turn.
    static constexpr int batch = 256;

    struct options {
        kind type = kind::dealer;
        std::string routing_id;  // of a dealer; ZeroMQ makes one when empty
        std::string endpoint;
    };

    // `native` is a ZeroMQ context. Connects at once and reconnects by itself. `on_frames` is never called from inside
    // open() or send(), nor after close().
    static result<zmq_stream> open(boost::asio::any_io_executor ex, void* native, const options& how,
                                   std::function<void(result<frames>)> on_frames);
    zmq_stream(zmq_stream&&) noexcept = default;
    zmq_stream& operator=(zmq_stream&&) noexcept = default;
    ~zmq_stream();

    // One frame of a message; `more` follow. Never blocks.
    result<void> send(std::string_view frame, bool more);
    // Whether the peer has ended and all that it sent has been read (and goes to on_frames next). Only to be asked once
    // the peer's process is known to be gone: the first call begins to watch for it.
    bool peer_has_ended();
    // At once, also from inside on_frames; what was not sent is dropped.
    void close();

  private:
    struct state;
    explicit zmq_stream(std::shared_ptr<state> made);
    std::shared_ptr<state> state_;
};

}  // namespace messaging
