#include "messaging/kernel_sockets.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "messaging/signer.hpp"
#include "messaging/wire.hpp"
#include "messaging/zmtp_stream.hpp"

namespace messaging {

namespace asio = boost::asio;

namespace {

constexpr std::array<channel, 4> channels = {channel::shell, channel::control, channel::stdin_channel, channel::iopub};

constexpr std::size_t work_for_pool = 1024 * 1024;  // signing takes half a millisecond then

std::size_t size_of(const frames& parts) {
    std::size_t size = 0;
    for (const auto& part : parts) size += part.size();
    return size;
}

int port_of(const connection_info& info, channel where) {
    switch (where) {
        case channel::shell:
            return info.shell_port;
        case channel::control:
            return info.control_port;
        case channel::stdin_channel:
            return info.stdin_port;
        case channel::iopub:
            return info.iopub_port;
    }
    return 0;
}

}  // namespace

struct kernel_sockets::implementation : std::enable_shared_from_this<implementation> {
    struct beat {
        beat(asio::any_io_executor ex, std::string payload) : timer(std::move(ex)), payload(std::move(payload)) {}
        asio::steady_timer timer;
        std::string payload;
        bool answered = false;
    };

    implementation(asio::any_io_executor ex, const connection_info& info, std::function<void(message)> on_message,
                   std::function<void(channel, boost::system::error_code)> on_invalid, asio::thread_pool* pool)
        : ex(std::move(ex)),
          info(info),
          keys(signer::make(info.key, info.signature_scheme)),
          on_message(std::move(on_message)),
          on_invalid(std::move(on_invalid)),
          pool(pool) {}

    void open();
    result<zmtp_stream> open_stream(zmtp_role role, const std::string& id, int port, zmtp_stream::callback on_frames);
    result<zmtp_stream> open_channel(channel where, const std::string& id);
    result<zmtp_stream> open_heartbeat();
    void refuse_later(channel where, boost::system::error_code why);
    void take(channel where, result<frames> arrived);
    void verify_apart(channel where, frames parts);
    std::string sign_apart(const frames& parts) const;
    void hand_on(channel where, result<message> decoded);
    void take_echo(const result<frames>& arrived);
    result<void> send(const message& what);
    std::shared_ptr<beat> start_beat(int limit_ms);
    void close();

    static asio::awaitable<bool> heartbeat(std::shared_ptr<implementation> self, int limit_ms);

    asio::any_io_executor ex;
    connection_info info;
    result<signer> keys;
    std::function<void(message)> on_message;
    std::function<void(channel, boost::system::error_code)> on_invalid;
    asio::thread_pool* pool;
    std::array<result<zmtp_stream>, channels.size()> streams = {errc::cancelled, errc::cancelled, errc::cancelled,
                                                                errc::cancelled};
    std::optional<result<zmtp_stream>> echo;  // opened by the first heartbeat: most kernels are never asked
    std::list<std::shared_ptr<beat>> beats;
    std::uint64_t beats_sent = 0;
    bool closed = false;
};

void kernel_sockets::implementation::open() {
    // A kernel routes input_request to the identity of the request's sender: stdin must have that of shell.
    std::string id = make_id();
    for (auto where : channels) {
        auto& stream = streams[static_cast<std::size_t>(where)];
        stream = keys ? open_channel(where, id) : result<zmtp_stream>(keys.error());
        if (!stream) refuse_later(where, stream.error());
    }
}

result<zmtp_stream> kernel_sockets::implementation::open_stream(zmtp_role role, const std::string& id, int port,
                                                                zmtp_stream::callback on_frames) {
    auto where = endpoint::parse(info.endpoint(port));
    if (!where) return where.error();
    return zmtp_stream(ex, {role, id, std::move(*where)}, std::move(on_frames));
}

result<zmtp_stream> kernel_sockets::implementation::open_channel(channel where, const std::string& id) {
    auto role = where == channel::iopub ? zmtp_role::subscriber : zmtp_role::dealer;
    // The lock keeps all of this alive while a callback destroys its owner.
    return open_stream(role, id, port_of(info, where), [weak = weak_from_this(), where](result<frames> arrived) {
        if (auto self = weak.lock()) self->take(where, std::move(arrived));
    });
}

result<zmtp_stream> kernel_sockets::implementation::open_heartbeat() {
    return open_stream(zmtp_role::requester, {}, info.hb_port, [weak = weak_from_this()](result<frames> arrived) {
        if (auto self = weak.lock()) self->take_echo(arrived);
    });
}

void kernel_sockets::implementation::refuse_later(channel where, boost::system::error_code why) {
    asio::post(ex, [self = shared_from_this(), where, why] {
        if (!self->closed) self->on_invalid(where, why);
    });
}

void kernel_sockets::implementation::take(channel where, result<frames> arrived) {
    if (closed) return;
    if (!arrived) return on_invalid(where, arrived.error());
    if (pool && size_of(*arrived) > work_for_pool) return verify_apart(where, std::move(*arrived));
    hand_on(where, decode_wire(std::move(*arrived), where, *keys));
}

// Nothing of ours is owned by the pool's thread in the end: what is here belongs to the io thread.
void kernel_sockets::implementation::verify_apart(channel where, frames parts) {
    streams[static_cast<std::size_t>(where)]->pause();
    asio::post(*pool, [self = shared_from_this(), where, parts = std::move(parts)]() mutable {
        auto back = self->ex;
        auto expected = self->sign_apart(parts);
        asio::post(back,
                   [self = std::move(self), where, parts = std::move(parts), expected = std::move(expected)]() mutable {
                       if (self->closed) return;
                       self->hand_on(where, decode_wire(std::move(parts), where, *self->keys, expected));
                       if (!self->closed) self->streams[static_cast<std::size_t>(where)]->resume();
                   });
    });
}

// On a thread of the pool: the keys themselves are the io thread's.
std::string kernel_sockets::implementation::sign_apart(const frames& parts) const {
    auto own_keys = signer::make(info.key, info.signature_scheme);
    auto found = find_signed_parts(parts);
    return own_keys && found ? own_keys->sign(*found) : std::string();
}

void kernel_sockets::implementation::hand_on(channel where, result<message> decoded) {
    if (decoded)
        on_message(std::move(*decoded));
    else
        on_invalid(where, decoded.error());
}

void kernel_sockets::implementation::take_echo(const result<frames>& arrived) {
    if (!arrived) return;
    for (const auto& waiting : beats) {
        if (arrived->back() != waiting->payload) continue;
        waiting->answered = true;
        waiting->timer.cancel();
    }
}

result<void> kernel_sockets::implementation::send(const message& what) {
    auto& stream = streams[static_cast<std::size_t>(what.where)];
    if (!keys) return keys.error();
    if (!stream) return stream.error();
    if (what.where == channel::iopub) return errc::bad_channel;
    auto json = what.json_parts();
    auto signature = keys->sign(json);
    std::vector<std::string_view> parts(what.identities.begin(), what.identities.end());
    parts.reserve(parts.size() + 6 + what.buffers.size());
    parts.insert(parts.end(), {delimiter, signature});
    parts.insert(parts.end(), json.begin(), json.end());
    parts.insert(parts.end(), what.buffers.begin(), what.buffers.end());
    stream->send(parts);
    return {};
}

std::shared_ptr<kernel_sockets::implementation::beat> kernel_sockets::implementation::start_beat(int limit_ms) {
    if (closed) return nullptr;
    if (!echo) echo = open_heartbeat();
    if (!*echo) return nullptr;
    auto made = std::make_shared<beat>(ex, std::to_string(++beats_sent));
    made->timer.expires_after(std::chrono::milliseconds(limit_ms));
    // REQ's envelope is an empty frame.
    std::array<std::string_view, 2> parts = {"", made->payload};
    (*echo)->send(parts);
    beats.push_back(made);
    return made;
}

asio::awaitable<bool> kernel_sockets::implementation::heartbeat(std::shared_ptr<implementation> self, int limit_ms) {
    auto waiting = self->start_beat(limit_ms);
    if (!waiting) co_return false;
    co_await waiting->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    self->beats.remove(waiting);
    co_return waiting->answered;
}

void kernel_sockets::implementation::close() {
    closed = true;
    for (auto& stream : streams)
        if (stream) stream->close();
    if (echo && *echo) (*echo)->close();
    for (const auto& waiting : beats) waiting->timer.cancel();
}

kernel_sockets::kernel_sockets(asio::any_io_executor ex, const connection_info& info,
                               std::function<void(message)> on_message,
                               std::function<void(channel, boost::system::error_code)> on_invalid,
                               asio::thread_pool* pool)
    : implementation_(
          std::make_shared<implementation>(std::move(ex), info, std::move(on_message), std::move(on_invalid), pool)) {
    implementation_->open();
}

kernel_sockets::~kernel_sockets() { implementation_->close(); }

result<void> kernel_sockets::send(const message& what) { return implementation_->send(what); }

bool kernel_sockets::kernel_has_ended() {
    const auto& streams = implementation_->streams;
    return std::none_of(streams.begin(), streams.end(),
                        [](const auto& stream) { return stream && stream->is_connected(); });
}

asio::awaitable<bool> kernel_sockets::heartbeat(int limit_ms) {
    return implementation::heartbeat(implementation_, limit_ms);
}

}  // namespace messaging
