// One connection of ours to a kernel's ZeroMQ socket, made again when it is lost. Owned by kernel_sockets; io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "messaging/endpoint.hpp"
#include "messaging/error.hpp"
#include "messaging/wire.hpp"
#include "messaging/zmtp_decoder.hpp"

namespace messaging {

class zmtp_stream {
  public:
    // What is read before the other work of the executor gets its turn.
    static constexpr std::size_t turn_events = 256;
    static constexpr std::size_t turn_bytes = 1024 * 1024;

    struct options {
        zmtp_role role = zmtp_role::dealer;
        std::string identity;  // of a dealer
        endpoint where;
        zmtp_limits limits = {};
    };
    // A message; or why one was refused, or (once until there is a good one) why a connection was given up or not made.
    using callback = std::function<void(result<frames>)>;

    // Connects as soon as the executor runs, and tries every 5 to 50 ms until it succeeds. `on_frames` is never called
    // from inside this constructor or send(), nor after close().
    zmtp_stream(boost::asio::any_io_executor ex, options how, callback on_frames);
    zmtp_stream(zmtp_stream&&) noexcept = default;
    zmtp_stream& operator=(zmtp_stream&& other) noexcept;
    ~zmtp_stream();

    // One message. Goes out at once if it can, otherwise it waits, without a limit; one that was not written to its end
    // when the connection was lost is sent again.
    void send(std::span<const std::string_view> parts);
    // Nothing more is handed on, nor read, until resume(); also from inside the callback.
    void pause();
    void resume();
    // Whether there is a connection that both sides greeted on and that was not read to its end.
    bool is_connected() const;
    void close();

  private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace messaging
