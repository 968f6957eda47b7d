// What the io thread does: clients' messages to the sink, output to the clients, heartbeats, captured pipes. Owned by
// the io thread, which made none of it but does everything with it, and ends it.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "kernel/server/kernel_server.hpp"
#include "kernel/server/outgoing.hpp"
#include "kernel/server/server_state.hpp"
#include "kernel/server/zmq_socket.hpp"
#include "messaging/signer.hpp"

namespace kernel {

// In the order in which they are bound.
struct listeners {
    listener shell;
    listener iopub;
    listener stdin_channel;
    listener control;
    listener heartbeat;
};

struct io_settings {
    std::string session;
    std::chrono::milliseconds linger{0};
    int log = -1;  // -1: nowhere
};

class io_loop {
  public:
    // Throws std::system_error when libzmq cannot make its sockets. Everything outlives this.
    io_loop(listeners& at, messaging::signer& keys, const io_settings& settings, server_state& state);

    // Until state.is_stopping; then sends what is left. The sockets linger in the destructor.
    void run(request_sink& sink);

  private:
    void wait();
    int milliseconds_to_wait() const;
    void echo_heartbeats();
    void welcome_subscribers();
    void receive(messaging::channel where, request_sink& sink);
    void deliver(messaging::frames parts, messaging::channel where, request_sink& sink);
    void send_replies();
    void send_questions();
    void send_outputs();
    void send_again();
    void send_all();
    void publish(output what);
    zmq_socket& socket_of(messaging::channel where);
    void log_refused(messaging::channel where, std::string_view why) const;

    messaging::signer& keys_;
    const io_settings settings_;
    server_state& state_;
    output_encoder encoder_;
    zmq_context context_;
    zmq_socket shell_;
    zmq_socket control_;
    zmq_socket stdin_;
    zmq_socket iopub_;
    zmq_socket heartbeat_;
    bool has_more_ = false;  // a turn has left something to the next one
};

}  // namespace kernel
