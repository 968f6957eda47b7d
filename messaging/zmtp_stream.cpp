#include "messaging/zmtp_stream.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <utility>

#include "messaging/outbox.hpp"

namespace messaging {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

// A kernel needs some milliseconds to bind, and sometimes seconds: try often, without spinning.
constexpr milliseconds first_pause{5};
constexpr milliseconds longest_pause{50};
constexpr std::size_t most_gathered = 64;
constexpr std::size_t scratch_bytes = 64 * 1024;

// Where all streams of the thread read to: each takes what it read before another reads.
std::span<char> scratch() {
    thread_local std::array<char, scratch_bytes> bytes;
    return bytes;
}

// What a kernel that has not bound yet, or is just ending, answers.
bool is_usual(error_code ec) {
    constexpr std::array usual = {ENOENT, ECONNREFUSED, EAGAIN, ECONNRESET, ECONNABORTED, EPIPE, ETIMEDOUT};
    return ec.category() == boost::system::system_category() &&
           std::find(usual.begin(), usual.end(), ec.value()) != usual.end();
}

}  // namespace

struct zmtp_stream::state : std::enable_shared_from_this<state> {
    state(asio::any_io_executor ex, options how, callback on_frames)
        : how(std::move(how)),
          on_frames(std::move(on_frames)),
          wire(ex),
          pause_timer(std::move(ex)),
          decoder(this->how.role, this->how.limits) {}

    struct turn {
        std::size_t events = 0;
        std::size_t bytes = 0;
    };

    void post(void (state::*what)());
    void connect();
    void finish_connect();
    void greet();
    void cannot_connect(error_code why);
    void tell_once(error_code why);
    void connect_later();
    void lose(milliseconds next_pause);
    error_code watch(int descriptor);
    void unwatch();

    void resume();
    void read();
    bool read_some(turn& now);
    bool take(std::string_view bytes, turn& now);
    bool take_event(zmtp_event& event);
    void become_ready();
    void add_first(std::string bytes);
    void write();

    template <class Then>
    void wait(asio::posix::descriptor_base::wait_type what, Then then);
    void wait_readable();
    void wait_writable();
    void close();

    options how;
    callback on_frames;
    asio::posix::stream_descriptor wire;  // open from connect() on
    asio::steady_timer pause_timer;
    milliseconds pause = first_pause;
    error_code told;  // why there is no connection, as it was told last; nothing since there was one
    bool closed = false;
    bool paused = false;
    outbox outgoing;
    int connection = 0;  // counts them: what waited for an older one is stale

    // Of this connection.
    zmtp_decoder decoder;
    std::string undecoded;  // was read, but the turn was over
    bool is_greeting = false;
    bool is_ready = false;
    bool waits_for_room = false;
    bool write_failed = false;  // it is still read: what a kernel sent before it died counts
};

// Dropped when the stream is closed or the connection is another by then.
void zmtp_stream::state::post(void (state::*what)()) {
    asio::post(wire.get_executor(), [self = shared_from_this(), what, as = connection] {
        if (!self->closed && self->connection == as) (self.get()->*what)();
    });
}

void zmtp_stream::state::connect() {
    auto attempt = how.where.connect();
    if (!attempt) return cannot_connect(attempt.error());
    if (auto ec = watch(attempt->descriptor)) return cannot_connect(ec);
    if (!attempt->is_pending) return greet();
    wait(asio::posix::descriptor_base::wait_write, [](state& self) { self.finish_connect(); });
}

error_code zmtp_stream::state::watch(int descriptor) {
    error_code ec;
    wire.assign(descriptor, ec);
    if (ec) ::close(descriptor);
    return ec;
}

void zmtp_stream::state::unwatch() {
    error_code ignored;
    wire.close(ignored);
}

void zmtp_stream::state::finish_connect() {
    if (auto done = endpoint::finish(wire.native_handle()); !done) {
        unwatch();
        return cannot_connect(done.error());
    }
    // Watched anew: having waited for room once, Asio would go on to hear of all that the peer makes.
    if (auto ec = watch(wire.release())) return cannot_connect(ec);
    greet();
}

void zmtp_stream::state::greet() {
    is_greeting = true;
    add_first(zmtp_greeting());
    wait_readable();
}

void zmtp_stream::state::cannot_connect(error_code why) {
    connect_later();
    if (!is_usual(why)) tell_once(why);
}

// The next attempt will fail in the same way, and soon.
void zmtp_stream::state::tell_once(error_code why) {
    if (std::exchange(told, why) != why) on_frames(why);
}

void zmtp_stream::state::connect_later() {
    pause_timer.expires_after(std::exchange(pause, std::min(2 * pause, longest_pause)));
    pause_timer.async_wait([self = shared_from_this(), as = ++connection](error_code ec) {
        if (!ec && !self->closed && self->connection == as) self->connect();
    });
}

void zmtp_stream::state::lose(milliseconds next_pause) {
    unwatch();
    outgoing.start_over();
    decoder = zmtp_decoder(how.role, how.limits);
    undecoded.clear();
    is_greeting = is_ready = waits_for_room = write_failed = false;
    pause = std::max(pause, next_pause);
    connect_later();
}

void zmtp_stream::state::resume() {
    if (std::exchange(paused, false)) post(&state::read);
}

void zmtp_stream::state::read() {
    if (paused) return;
    auto self = shared_from_this();
    turn now;
    // Moved to a place of its own, for taking it may leave a new rest. Even none counts: a frame may have been
    // complete.
    auto earlier = std::exchange(undecoded, {});
    if (!take(earlier, now)) return;
    while (read_some(now)) {
    }
}

// Whether to go on at once.
bool zmtp_stream::state::read_some(turn& now) {
    auto room = decoder.direct();
    auto rest = scratch();
    std::array<iovec, 2> into = {{{room.data(), room.size()}, {rest.data(), rest.size()}}};
    auto got = ::readv(wire.native_handle(), into.data(), static_cast<int>(into.size()));
    if (got < 0 && errno == EINTR) return true;
    bool is_empty = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (got <= 0 && (!is_empty || write_failed)) return lose(first_pause), false;
    if (is_empty) return wait_readable(), false;

    auto count = static_cast<std::size_t>(got);
    auto direct = std::min(count, room.size());
    decoder.wrote(direct);
    now.bytes += count;
    if (!take({rest.data(), count - direct}, now)) return false;
    if (now.bytes >= turn_bytes) return post(&state::read), false;
    // Less than there was room for: nothing more is there, but its end, which the wait sees.
    if (count < room.size() + rest.size() && !write_failed) return wait_readable(), false;
    return true;
}

// Whether the connection is still ours to read from.
bool zmtp_stream::state::take(std::string_view bytes, turn& now) {
    for (;;) {
        if (now.events++ == turn_events) {
            undecoded = bytes;
            post(&state::read);
            return false;
        }
        auto event = decoder.next(bytes);
        if (event.what == zmtp_event::needs_more) return true;
        if (!take_event(event)) return false;
        if (paused) return undecoded = bytes, false;
    }
}

bool zmtp_stream::state::take_event(zmtp_event& event) {
    auto as = connection;
    switch (event.what) {
        case zmtp_event::needs_more:
            break;
        case zmtp_event::greeted:
            add_first(zmtp_ready(how.role, how.identity));
            break;
        case zmtp_event::ready:
            become_ready();
            break;
        case zmtp_event::ping:
            // One at a time: a peer that does not read could make us keep any number.
            if (!outgoing.has_first()) add_first(zmtp_pong(event.context));
            break;
        case zmtp_event::message:
            on_frames(std::move(event.parts));
            break;
        case zmtp_event::refused:
            on_frames(event.error);
            break;
        case zmtp_event::failed:
            lose(longest_pause);
            tell_once(event.error);
            break;
    }
    return !closed && connection == as;
}

void zmtp_stream::state::become_ready() {
    is_ready = true;
    pause = first_pause;
    told = {};
    if (how.role == zmtp_role::subscriber) outgoing.add_first(zmtp_subscription());
    write();
}

void zmtp_stream::state::add_first(std::string bytes) {
    outgoing.add_first(std::move(bytes));
    write();
}

void zmtp_stream::state::write() {
    std::size_t sent = 0;
    while (is_greeting && !waits_for_room && !write_failed) {
        std::array<iovec, most_gathered> pieces;
        msghdr what{};
        what.msg_iov = pieces.data();
        what.msg_iovlen = outgoing.gather(pieces, is_ready);
        if (what.msg_iovlen == 0) return;
        if (sent >= turn_bytes) return wait_writable();
        auto count = ::sendmsg(wire.native_handle(), &what, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return wait_writable();
        if (count < 0) {
            write_failed = true;
            return post(&state::read);
        }
        sent += static_cast<std::size_t>(count);
        outgoing.wrote(static_cast<std::size_t>(count));
    }
}

template <class Then>
void zmtp_stream::state::wait(asio::posix::descriptor_base::wait_type what, Then then) {
    wire.async_wait(what, [self = shared_from_this(), as = connection, then](error_code ec) {
        if (!ec && !self->closed && self->connection == as) then(*self);
    });
}

void zmtp_stream::state::wait_readable() {
    wait(asio::posix::descriptor_base::wait_read, [](state& self) { self.read(); });
}

void zmtp_stream::state::wait_writable() {
    waits_for_room = true;
    wait(asio::posix::descriptor_base::wait_write, [](state& self) {
        self.waits_for_room = false;
        self.write();
    });
}

void zmtp_stream::state::close() {
    closed = true;
    unwatch();
    pause_timer.cancel();
}

zmtp_stream::zmtp_stream(asio::any_io_executor ex, options how, callback on_frames)
    : state_(std::make_shared<state>(std::move(ex), std::move(how), std::move(on_frames))) {
    state_->post(&state::connect);
}

zmtp_stream& zmtp_stream::operator=(zmtp_stream&& other) noexcept {
    std::swap(state_, other.state_);  // ours ends with the other
    return *this;
}

zmtp_stream::~zmtp_stream() { close(); }

void zmtp_stream::send(std::span<const std::string_view> parts) {
    state_->outgoing.add(encode_zmtp(parts));
    if (state_->is_ready) state_->write();
}

void zmtp_stream::pause() { state_->paused = true; }

void zmtp_stream::resume() { state_->resume(); }

bool zmtp_stream::is_connected() const { return state_->is_ready; }

void zmtp_stream::close() {
    if (state_) state_->close();
}

}  // namespace messaging
