#include "kernel/server/zmq_socket.hpp"

#include <zmq.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <memory>
#include <new>
#include <string>
#include <string_view>
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

// A copy of so few bytes costs less than a loan, and lets the message go.
constexpr std::size_t copied_bytes = 512;

// What libzmq gives back, on whichever thread is done with it.
struct loan {
    shared_encoded owner;  // of the bytes, or nobody and
    std::string copy;
    unsent_bytes* unsent = nullptr;
    std::size_t counted = 0;
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
    auto* unsent = ended->unsent;
    auto counted = ended->counted;
    ended.reset();
    if (unsent) unsent->remove(counted);
}

void lend(zmq_msg_t& frame, std::string_view bytes, std::unique_ptr<loan> to) {
    // libzmq does not write to them: several connections share them.
    if (zmq_msg_init_data(&frame, const_cast<char*>(bytes.data()), bytes.size(), end_loan, to.get()) != 0)
        throw std::bad_alloc();
    begins(to.release());
}

void make_frame(zmq_msg_t& frame, const shared_encoded& owner, const std::string& part) {
    if (part.size() > copied_bytes) return lend(frame, part, std::make_unique<loan>(loan{owner, {}}));
    if (zmq_msg_init_size(&frame, part.size()) != 0) throw std::bad_alloc();
    part.copy(static_cast<char*>(zmq_msg_data(&frame)), part.size());
}

// It is the last that libzmq has done with: the whole message is counted until then.
void make_last_frame(zmq_msg_t& frame, const shared_encoded& owner, unsent_bytes* unsent) {
    const auto& part = owner->parts.back();
    auto made = std::make_unique<loan>();
    if (unsent) {
        made->unsent = unsent;
        made->counted = owner->size + cost_of_frame * owner->parts.size();
        unsent->add(made->counted);
    }
    bool is_copied = part.size() <= copied_bytes;
    if (is_copied)
        made->copy = part;
    else
        made->owner = owner;
    std::string_view bytes = is_copied ? made->copy : part;
    lend(frame, bytes, std::move(made));
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
        if (kind.reports_strangers) set(socket_, ZMQ_ROUTER_MANDATORY, 1);
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

bool zmq_socket::send(const shared_encoded& what, unsent_bytes* unsent) {
    for (auto left = what->parts.size(); const auto& part : what->parts) {
        bool is_last = --left == 0;
        zmq_msg_t frame;
        if (is_last)
            make_last_frame(frame, what, unsent);
        else
            make_frame(frame, what, part);
        if (zmq_msg_send(&frame, socket_, ZMQ_DONTWAIT | (is_last ? 0 : ZMQ_SNDMORE)) >= 0) continue;
        zmq_msg_close(&frame);
        return false;
    }
    return true;
}

}  // namespace kernel
