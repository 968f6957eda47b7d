#include "messaging/zmq_stream.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <zmq.hpp>

namespace messaging {
namespace {

namespace asio = boost::asio;

struct close_socket {
    void operator()(void* socket) const { zmq_close(socket); }
};
using owned_socket = std::unique_ptr<void, close_socket>;

enum class reading { got_message, empty, failed };

// A kernel needs some milliseconds to bind, and sometimes seconds: try often, without spinning.
constexpr int reconnect_ms = 5;
constexpr int reconnect_max_ms = 50;

void set_options(zmq::socket_ref socket, const zmq_stream::options& how) {
    // No high-water marks: with one, iopub would drop output in silence, and send() could block.
    socket.set(zmq::sockopt::rcvhwm, 0);
    socket.set(zmq::sockopt::sndhwm, 0);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::reconnect_ivl, reconnect_ms);
    socket.set(zmq::sockopt::reconnect_ivl_max, reconnect_max_ms);
    socket.set(zmq::sockopt::ipv6, how.endpoint.starts_with("tcp://["));
    if (!how.routing_id.empty()) socket.set(zmq::sockopt::routing_id, how.routing_id);
    if (how.type == zmq_stream::kind::subscriber) socket.set(zmq::sockopt::subscribe, "");
}

// Any of these tells that the connection to a process that is gone was read to its end: it broke, or another is tried.
constexpr int end_events =
    ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED;

owned_socket open_monitor(void* context, void* socket) {
    static std::uint64_t opened = 0;
    std::string address = "inproc://monitor-" + std::to_string(++opened);
    owned_socket monitor(zmq_socket(context, ZMQ_PAIR));
    if (!monitor || zmq_socket_monitor(socket, address.c_str(), end_events) != 0) return nullptr;
    if (zmq_connect(monitor.get(), address.c_str()) == 0) return monitor;
    zmq_socket_monitor(socket, nullptr, 0);
    return nullptr;
}

reading read_frame(void* socket, zmq::message_t& frame) {
    for (;;) {
        if (zmq_msg_recv(frame.handle(), socket, ZMQ_DONTWAIT) >= 0) return reading::got_message;
        if (errno == EAGAIN) return reading::empty;
        if (errno != EINTR) return reading::failed;
    }
}

// All frames of one message are there at once. Past the limit they are read and dropped, so that the next message
// starts where it should.
reading read_message(void* socket, result<frames>& into) {
    frames parts;
    parts.reserve(8);  // a topic, the delimiter, a signature, four JSON parts, perhaps a buffer
    zmq::message_t frame;
    bool too_many = false;
    do {
        auto outcome = read_frame(socket, frame);
        if (outcome != reading::got_message) return outcome;
        too_many = too_many || parts.size() == max_frames;
        if (!too_many) parts.emplace_back(static_cast<const char*>(frame.data()), frame.size());
    } while (frame.more());
    if (too_many)
        into = errc::too_large;
    else
        into = std::move(parts);
    return reading::got_message;
}

}  // namespace

struct zmq_stream::state : std::enable_shared_from_this<state> {
    state(asio::any_io_executor with, void* native, owned_socket opened, std::function<void(result<frames>)> callback)
        : ex(std::move(with)),
          context(native),
          socket(std::move(opened)),
          readable(ex, zmq::socket_ref(zmq::from_handle, socket.get()).get(zmq::sockopt::fd)),
          on_frames(std::move(callback)) {}
    ~state() { close(); }

    void pump();
    void queue_pump();
    void wait();
    bool peer_has_ended();
    void stop_monitor();
    void close();

    asio::any_io_executor ex;
    void* context;
    owned_socket socket;                      // null once closed
    owned_socket monitor;                     // null but while peer_has_ended() watches
    asio::posix::stream_descriptor readable;  // borrows ZeroMQ's descriptor: released, never closed
    std::function<void(result<frames>)> on_frames;
    bool waiting = false;
    bool queued = false;
    bool ended = false;
};

void zmq_stream::state::pump() {
    for (int count = 0; count < batch; ++count) {
        result<frames> arrived = errc::ok;
        auto outcome = read_message(socket.get(), arrived);
        if (outcome == reading::empty) return wait();
        if (outcome == reading::failed) return close();
        on_frames(std::move(arrived));
        if (!socket) return;
    }
    queue_pump();
}

void zmq_stream::state::queue_pump() {
    if (std::exchange(queued, true)) return;
    asio::post(ex, [self = shared_from_this()] {
        self->queued = false;
        if (self->socket) self->pump();
    });
}

void zmq_stream::state::wait() {
    if (std::exchange(waiting, true)) return;
    readable.async_wait(asio::posix::descriptor_base::wait_read,
                        [self = shared_from_this()](boost::system::error_code ec) {
                            self->waiting = false;
                            if (!ec && self->socket) self->pump();
                        });
}

bool zmq_stream::state::peer_has_ended() {
    if (!socket || ended) return true;
    if (!monitor) monitor = open_monitor(context, socket.get());
    zmq::message_t frame;
    ended = !monitor || read_frame(monitor.get(), frame) == reading::got_message;
    if (ended) {
        stop_monitor();
        queue_pump();  // what was read to the end waits in the socket, perhaps without another word of its descriptor
    }
    return ended;
}

// In this order: ZeroMQ's own thread would wait for ever to report an event to a monitor that was closed.
void zmq_stream::state::stop_monitor() {
    if (!monitor) return;
    zmq_socket_monitor(socket.get(), nullptr, 0);
    monitor.reset();
}

void zmq_stream::state::close() {
    if (!socket) return;
    readable.release();
    stop_monitor();
    socket.reset();
}

result<zmq_stream> zmq_stream::open(asio::any_io_executor ex, void* native, const options& how,
                                    std::function<void(result<frames>)> on_frames) {
    owned_socket socket(zmq_socket(native, how.type == kind::dealer ? ZMQ_DEALER : ZMQ_SUB));
    if (!socket) return errc::socket_failed;
    try {
        zmq::socket_ref opened(zmq::from_handle, socket.get());
        set_options(opened, how);
        opened.connect(how.endpoint);
        auto made = std::make_shared<state>(std::move(ex), native, std::move(socket), std::move(on_frames));
        made->queue_pump();
        return zmq_stream(std::move(made));
    } catch (const zmq::error_t&) {
        return errc::socket_failed;
    }
}

zmq_stream::zmq_stream(std::shared_ptr<state> made) : state_(std::move(made)) {}

zmq_stream::~zmq_stream() { close(); }

result<void> zmq_stream::send(std::string_view frame, bool more) {
    if (!state_ || !state_->socket) return errc::cancelled;
    void* socket = state_->socket.get();
    int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
    while (zmq_send(socket, frame.data(), frame.size(), flags) < 0)
        if (errno != EINTR) return errc::socket_failed;
    if (more) return {};
    // Sending handles the socket's events, also that of an arrival, and then its descriptor stays silent about it.
    zmq::socket_ref sent(zmq::from_handle, socket);
    if (sent.get(zmq::sockopt::events) & ZMQ_POLLIN) state_->queue_pump();
    return {};
}

bool zmq_stream::peer_has_ended() { return !state_ || state_->peer_has_ended(); }

void zmq_stream::close() {
    if (state_) state_->close();
}

}  // namespace messaging
