#include "kernel/server/zmq_socket.hpp"

#include <zmq.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace kernel {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(zmq_errno(), std::generic_category(), what); }

template <class T>
void set(void* socket, int option, T value) {
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) fail("zmq_setsockopt");
}

void* open_socket(const zmq_context& context, const socket_kind& kind) {
    void* opened = ::zmq_socket(context.get(), kind.publishes ? ZMQ_XPUB : ZMQ_ROUTER);
    if (!opened) fail("zmq_socket");
    return opened;
}

class received_frame {
  public:
    received_frame() { zmq_msg_init(&frame_); }
    ~received_frame() { zmq_msg_close(&frame_); }
    received_frame(const received_frame&) = delete;
    received_frame& operator=(const received_frame&) = delete;

    bool receive(void* socket) { return zmq_msg_recv(&frame_, socket, ZMQ_DONTWAIT) >= 0; }
    bool has_more() const { return zmq_msg_more(&frame_) != 0; }
    std::string text() { return {static_cast<const char*>(zmq_msg_data(&frame_)), zmq_msg_size(&frame_)}; }

  private:
    zmq_msg_t frame_;
};

// False when there is no memory for it.
bool append(messaging::frames& to, received_frame& frame) try {
    to.push_back(frame.text());
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

// What libzmq gives back for each frame, on whichever thread is done with it.
struct loan {
    shared_encoded owner;
    unsent_bytes* unsent;
    std::size_t size;
};

// libzmq's queues order the two. The thread sanitizer is told, because it cannot see into them.
void begins(loan* lent) {
#ifdef __SANITIZE_THREAD__
    __tsan_release(lent);
#endif
    static_cast<void>(lent);
}

void ends(loan* lent) {
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(lent);
#endif
    static_cast<void>(lent);
}

void end_loan(void*, void* hint) {
    std::unique_ptr<loan> ended(static_cast<loan*>(hint));
    ends(ended.get());
    ended->owner.reset();
    if (ended->unsent) ended->unsent->remove(ended->size);
}

void lend(zmq_msg_t& frame, const shared_encoded& owner, const std::string& part, unsent_bytes* unsent) {
    auto made = std::make_unique<loan>(loan{owner, unsent, part.size()});
    // libzmq does not write to it: several sockets share it.
    if (zmq_msg_init_data(&frame, const_cast<char*>(part.data()), part.size(), end_loan, made.get()) != 0)
        throw std::bad_alloc();
    if (unsent) unsent->add(part.size());
    begins(made.release());
}

}  // namespace

zmq_context::zmq_context() : context_(zmq_ctx_new()) {
    if (!context_) fail("zmq_ctx_new");
}

zmq_context::~zmq_context() {
    while (zmq_ctx_term(context_) != 0 && zmq_errno() == EINTR) continue;
}

zmq_socket::zmq_socket(const zmq_context& context, const socket_kind& kind, listener& at,
                       std::chrono::milliseconds linger)
    : socket_(open_socket(context, kind)) {
    try {
        if (kind.publishes)
            set(socket_, ZMQ_XPUB_VERBOSE, 1);
        else
            set(socket_, ZMQ_ROUTER_HANDOVER, 1);  // a client that comes back before its old connection was missed
        if (!kind.drops) {
            set(socket_, ZMQ_SNDHWM, 0);
            set(socket_, ZMQ_RCVHWM, 0);
        }
        set(socket_, ZMQ_MAXMSGSIZE, kind.largest_frame);
        set(socket_, ZMQ_LINGER, static_cast<int>(linger.count()));
        set(socket_, ZMQ_USE_FD, at.descriptor());
        if (zmq_bind(socket_, at.endpoint().c_str()) != 0) fail("zmq_bind");
        at.release();
    } catch (...) {
        zmq_close(socket_);
        throw;
    }
}

zmq_socket::~zmq_socket() { zmq_close(socket_); }

bool zmq_socket::receive(messaging::frames& into) {
    into.clear();
    bool fits = true;
    for (bool more = true; more;) {
        received_frame frame;
        if (!frame.receive(socket_)) return false;
        more = frame.has_more();
        if (fits && into.size() <= messaging::max_frames) fits = append(into, frame);
        if (!fits) into.clear();
    }
    return true;
}

void zmq_socket::send(const shared_encoded& what, unsent_bytes* unsent) {
    for (auto left = what->parts.size(); const auto& part : what->parts) {
        zmq_msg_t frame;
        lend(frame, what, part, unsent);
        if (zmq_msg_send(&frame, socket_, ZMQ_DONTWAIT | (--left > 0 ? ZMQ_SNDMORE : 0)) >= 0) continue;
        zmq_msg_close(&frame);
        return;
    }
}

}  // namespace kernel
