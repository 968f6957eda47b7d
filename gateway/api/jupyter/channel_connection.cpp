#include "gateway/api/jupyter/channel_connection.hpp"

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::jupyter {
namespace {

constexpr std::size_t batch_bytes = 256u << 10;
constexpr std::size_t work_for_pool = 1u << 20;
constexpr milliseconds large_wait{30'000};     // a peer that answers no ping at all is the keep-alive's business
constexpr std::size_t max_close_reason = 123;  // RFC 6455 section 5.5: control frames carry 125 bytes, 2 are the code

std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

std::string cut_to_reason(const std::string& text) {
    return std::string(messaging::first_bytes(text, max_close_reason));
}

const char* reason_of(sessions::client_end end) {
    switch (end) {
        case sessions::client_end::replaced:
            return "replaced by a newer connection with the same session_id";
        case sessions::client_end::kernel_deleted:
            return "kernel deleted";
        case sessions::client_end::session_ended:
            return "session ended";
        case sessions::client_end::gateway_ended:
            return "gateway is restarting";
        case sessions::client_end::none:
            break;
    }
    return "the session stopped sending";
}

// 1000 also for a replaced connection: JupyterLab does not come back after it, so the newer one stays.
http::close_code code_of(sessions::client_end end) {
    if (end == sessions::client_end::none) return http::close_code::internal_error;
    if (end == sessions::client_end::gateway_ended) return http::close_code::service_restart;
    return http::close_code::normal;
}

}  // namespace

// Whichever coroutine ends first, however it ends, ends the other two; but none cuts off a close handshake.
class channel_connection::ending {
  public:
    explicit ending(channel_connection& of, bool after_close = false) : of_(of), after_close_(after_close) {}
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() {
        if (after_close_ || !of_.closed_) of_.end();
    }

  private:
    channel_connection& of_;
    bool after_close_;
};

channel_connection::channel_connection(executor ex, http::websocket& ws,
                                       std::shared_ptr<sessions::jupyter_client> client, channel_options options,
                                       channel_counters& counters)
    : ws_(ws),
      client_(std::move(client)),
      options_(options),
      counters_(counters),
      ended_(ex),
      written_(ex),
      acknowledged_(ex),
      tasks_(ex) {}

awaitable<void> channel_connection::run() {
    // Cancelled or not, the three coroutines must have ended before this object goes.
    bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    ++counters_.connections;
    ws_.on_pong([this](std::string_view payload) { acknowledge(payload); });
    tasks_.spawn("reading a kernel WebSocket", read_frames());
    tasks_.spawn("writing a kernel WebSocket", write_messages());
    tasks_.spawn("pinging a kernel WebSocket", send_pings());
    if (!ending_) co_await ended_.wait();
    end();
    co_await tasks_.join();
    ws_.on_pong({});
    if (!closed_) ++counters_.cut;
    leave_session();
    co_await asio::this_coro::throw_if_cancelled(throwing);
}

void channel_connection::leave_session() {
    if (!std::exchange(left_, true)) client_->disconnected(window_.in_doubt());
}

void channel_connection::end() {
    if (std::exchange(ending_, true)) return;
    ended_.notify_all();
    tasks_.cancel();
}

awaitable<void> channel_connection::read_frames() {
    ending at_exit(*this);
    for (;;) {
        auto frame = co_await ws_.read();
        if (!frame) break;
        if (left_) co_return co_await close(http::close_code::normal, reason_of(client_->end()));
        auto forwarded = co_await forward(std::move(*frame));
        if (forwarded) continue;
        ++counters_.bad_frames;
        log::warning("a kernel WebSocket is closed: {}", forwarded.error().message);
        co_return co_await close(bad_frame_code, cut_to_reason(forwarded.error().message));
    }
    // The peer is gone: a write that waits for it to read would never end.
    if (!closed_ && !ending_) ws_.abort();
}

awaitable<result<void>> channel_connection::forward(http::websocket::incoming frame) {
    ++counters_.messages_received;
    counters_.bytes_received += frame.bytes.size();
    auto decoded = co_await decode_frame(std::move(frame));
    if (!decoded) co_return failure{errc::invalid_request, "bad message: " + decoded.error().message};
    auto sent = client_->send(std::move(*decoded));
    if (sent || sent.error().code != errc::invalid_request) co_return result<void>();
    co_return failure{errc::invalid_request, "bad message: " + sent.error().message};
}

awaitable<void> channel_connection::write_messages() {
    ending at_exit(*this);
    for (;;) {
        auto batch = co_await client_->next(batch_bytes);
        if (batch.empty()) break;
        bool alive = co_await write_batch(std::move(batch));
        if (!alive) co_return ws_.abort();
    }
    if (!ending_) co_await close_as_told();
}

awaitable<bool> channel_connection::write_batch(std::vector<sessions::delivery> batch) {
    for (const auto& each : batch) {
        bool alive = co_await write_one(each);
        if (!alive) co_return false;
    }
    co_return true;
}

awaitable<bool> channel_connection::write_one(const sessions::delivery& what) {
    note_stripped(*what.message);
    auto frame = co_await encode_message(what.message);
    auto size = frame.size();
    window_.writing(what.seq, size);
    std::vector<asio::const_buffer> parts(1, asio::buffer(frame.bytes));
    for (auto each : frame.borrowed) parts.emplace_back(each.data(), each.size());
    auto sent = co_await ws_.write(frame.binary, std::move(parts));
    if (!sent) co_return false;
    ++counters_.messages_sent;
    if (what.merged) ++counters_.merged;
    counters_.bytes_sent += size;
    note_written();
    co_await wait_for_peer();
    co_return true;
}

// The pinger is woken only when its next ping is another than the one that it waits for: not by every message.
void channel_connection::note_written() {
    auto before = window_.due();
    window_.written(now());
    if (window_.due() != before) written_.notify_all();
}

awaitable<void> channel_connection::wait_for_peer() {
    auto until = now() + large_wait;
    while ((window_.large_in_doubt() || window_.is_behind()) && !ending_ && now() < until)
        co_await acknowledged_.wait_for(std::chrono::duration_cast<milliseconds>(until - now()) + milliseconds(1));
}

awaitable<void> channel_connection::close(http::close_code code, std::string reason) {
    if (std::exchange(closed_, true)) co_return;
    ending after_close(*this, true);
    co_await ws_.close(code, std::move(reason));
}

awaitable<void> channel_connection::close_as_told() {
    auto why = client_->end();
    if (why == sessions::client_end::replaced && options_.stay_when_replaced) co_return co_await stay_silent();
    co_await close(code_of(why), reason_of(why));
}

awaitable<void> channel_connection::stay_silent() {
    leave_session();
    while (!ending_) co_await ended_.wait();
}

awaitable<void> channel_connection::send_pings() {
    ending at_exit(*this);
    while (!ending_) {
        auto due = window_.due();
        if (!due) {
            co_await written_.wait();
        } else if (*due > now()) {
            co_await written_.wait_for(std::chrono::duration_cast<milliseconds>(*due - now()) + milliseconds(1));
        } else {
            auto sent = co_await ws_.ping(window_.take_ping());
            if (!sent) co_return;
        }
    }
}

void channel_connection::acknowledge(std::string_view payload) {
    auto seq = window_.pong(payload);
    if (!seq) return;
    client_->acknowledge(*seq);
    acknowledged_.notify_all();
}

awaitable<outgoing_frame> channel_connection::encode_message(messaging::shared_message what) {
    auto is_copied = options_.form != framing::v1;
    if (!options_.pool || !is_copied || what->size() < work_for_pool) co_return encode(options_.form, *what);
    auto work = [form = options_.form, what = std::move(what)] { return encode(form, *what); };
    co_return co_await run_on(*options_.pool, std::move(work));
}

awaitable<result<messaging::message>> channel_connection::decode_frame(http::websocket::incoming frame) {
    if (!options_.pool || frame.bytes.size() < work_for_pool)
        co_return decode(options_.form, frame.bytes, frame.binary);
    auto work = [form = options_.form, frame = std::move(frame)] { return decode(form, frame.bytes, frame.binary); };
    co_return co_await run_on(*options_.pool, std::move(work));
}

void channel_connection::note_stripped(const messaging::message& what) {
    if (options_.form != framing::plain_without_buffers || what.buffers.empty()) return;
    ++counters_.buffers_stripped;
    if (std::exchange(warned_, true)) return;
    log::warning(
        "a Jupyter client without a subprotocol gets its messages without their binary buffers, which it cannot read; "
        "set kernels.buffers_to_legacy_clients = \"binary\" if it can");
}

}  // namespace gateway::api::jupyter
