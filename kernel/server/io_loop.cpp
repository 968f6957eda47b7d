#include "kernel/server/io_loop.hpp"

#include <poll.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace kernel {
namespace {

using messaging::channel;
using clock = output_queue::clock;

// Of one socket in one turn, so that every other gets its own.
constexpr int messages_a_turn = 256;
constexpr std::size_t sent_bytes_a_turn = 1 << 20;

constexpr std::int64_t largest_request = 512 << 20;  // as the gateway
constexpr std::int64_t largest_ping = 64 << 10;      // heartbeats and topics

constexpr socket_kind requests = {.largest_frame = largest_request};
constexpr socket_kind questions = {.reports_strangers = true, .largest_frame = largest_request};
constexpr socket_kind publications = {.publishes = true, .largest_frame = largest_ping};
constexpr socket_kind heartbeats = {.drops = true, .largest_frame = largest_ping};

// Whether a line can be written without waiting: whoever should read the log may not.
bool takes_a_line(int descriptor) {
    pollfd asked{descriptor, POLLOUT, 0};
    return ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLOUT) != 0;
}

std::optional<clock::time_point> earlier(std::optional<clock::time_point> one, std::optional<clock::time_point> other) {
    if (!one || !other) return one ? one : other;
    return std::min(*one, *other);
}

}  // namespace

io_loop::io_loop(listeners& at, messaging::signer& keys, const io_settings& settings, server_state& state)
    : keys_(keys),
      settings_(settings),
      state_(state),
      encoder_(keys, settings_.session),
      shell_(context_, requests, at.shell, settings.linger),
      control_(context_, requests, at.control, settings.linger),
      stdin_(context_, questions, at.stdin_channel, settings.linger),
      iopub_(context_, publications, at.iopub, settings.linger),
      heartbeat_(context_, heartbeats, at.heartbeat, std::chrono::milliseconds(0)) {}

void io_loop::run(request_sink& sink) {
    while (!state_.is_stopping) {
        wait();
        has_more_ = false;
        echo_heartbeats();
        welcome_subscribers();
        for (auto where : {channel::control, channel::stdin_channel, channel::shell}) receive(where, sink);
        if (!state_.unsent.is_full()) state_.captured.drain();
        send_replies();
        send_questions();
        send_outputs();
    }
    state_.captured.drain();
    state_.outputs.close();
    send_all();
}

void io_loop::wait() {
    std::vector<zmq_pollitem_t> items;
    for (const auto* socket : {&shell_, &control_, &stdin_, &iopub_, &heartbeat_})
        items.push_back({socket->get(), 0, ZMQ_POLLIN, 0});
    items.push_back({nullptr, state_.wake.descriptor(), ZMQ_POLLIN, 0});
    // Who writes too much into a pipe waits as any other writer does.
    if (!state_.unsent.is_full())
        for (int pipe : state_.captured.descriptors()) items.push_back({nullptr, pipe, ZMQ_POLLIN, 0});
    zmq_poll(items.data(), static_cast<int>(items.size()), milliseconds_to_wait());
    state_.wake.clear();
}

int io_loop::milliseconds_to_wait() const {
    if (has_more_ || (!state_.again.is_empty() && !state_.unsent.is_full())) return 0;
    auto due = earlier(state_.outputs.due(), state_.questions.due());
    if (!due) return -1;
    if (*due <= clock::now()) return 0;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

void io_loop::echo_heartbeats() {
    messaging::frames parts;
    int count = 0;
    for (; count < messages_a_turn && heartbeat_.receive(parts); ++count) heartbeat_.send(share(std::move(parts)));
    has_more_ |= count == messages_a_turn;
}

void io_loop::welcome_subscribers() {
    messaging::frames parts;
    int count = 0;
    for (; count < messages_a_turn && iopub_.receive(parts); ++count) {
        // 1 and the topic: a subscription; 0: its end; anything else was sent by a client that should not.
        bool subscribes = parts.size() == 1 && !parts[0].empty() && parts[0][0] == '\1';
        if (subscribes) iopub_.send(encoder_.welcome(std::string_view(parts[0]).substr(1)), &state_.unsent);
    }
    has_more_ |= count == messages_a_turn;
}

void io_loop::receive(channel where, request_sink& sink) {
    messaging::frames parts;
    int count = 0;
    for (; count < messages_a_turn && socket_of(where).receive(parts); ++count) deliver(std::move(parts), where, sink);
    has_more_ |= count == messages_a_turn;
}

void io_loop::deliver(messaging::frames parts, channel where, request_sink& sink) try {
    auto decoded = messaging::decode_wire(std::move(parts), where, keys_);
    if (!decoded) return log_refused(where, decoded.error().message());
    if (where == channel::stdin_channel)
        sink.on_input_reply(std::move(*decoded));
    else
        sink.on_request(std::move(*decoded));
} catch (const std::exception& thrown) {
    log_refused(where, thrown.what());
}

void io_loop::send_replies() {
    for (auto& each : state_.outputs.take_replies()) {
        auto where = each.where;
        socket_of(where).send(encoder_.encode(std::move(each)));
    }
}

void io_loop::send_questions() {
    state_.questions.offer(clock::now(),
                           [this](const messaging::message& what) { return stdin_.send(encoder_.encode(what)); });
}

void io_loop::send_outputs() {
    // What a client asked for and does not read must not fill the memory. Room wakes this thread.
    if (!state_.unsent.is_full()) send_again();
    for (auto& each : state_.outputs.take(clock::now(), sent_bytes_a_turn)) publish(std::move(each));
}

void io_loop::send_again() {
    auto wanted = state_.again.take(sent_bytes_a_turn);
    send_replies();  // the one that says what comes was there before it
    for (const auto& each : wanted) control_.send(encoder_.encode_again(*each.what, *each.to), &state_.unsent);
}

// Nothing comes in any more.
void io_loop::send_all() {
    while (!state_.again.is_empty()) send_again();
    while (state_.outputs.due()) {
        send_replies();
        send_outputs();
    }
}

void io_loop::publish(output what) {
    auto counted = size_of(what);
    auto encoded = encoder_.encode(std::move(what));
    state_.kept.keep(encoded);
    iopub_.send(encoded, &state_.unsent);
    state_.unsent.remove(counted);
}

zmq_socket& io_loop::socket_of(channel where) {
    switch (where) {
        case channel::control:
            return control_;
        case channel::stdin_channel:
            return stdin_;
        case channel::iopub:
            return iopub_;
        case channel::shell:
            break;
    }
    return shell_;
}

void io_loop::log_refused(channel where, std::string_view why) const {
    if (settings_.log < 0 || !takes_a_line(settings_.log)) return;
    std::string line = "cellgate-kernel: refused a message on ";
    line += messaging::to_string(where);
    line += ": ";
    line += why;
    line += '\n';
    [[maybe_unused]] auto written = ::write(settings_.log, line.data(), line.size());
}

}  // namespace kernel
