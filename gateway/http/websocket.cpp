// Beast's WebSocket costs more to compile than everything else here together: it is included in this file alone.
#include "gateway/http/websocket.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cassert>
#include <optional>

#include "gateway/base/log.hpp"
#include "gateway/http/deadline.hpp"
#include "gateway/http/liveness.hpp"
#include "gateway/http/tcp_health.hpp"
#include "gateway/http/text.hpp"
#include "gateway/http/websocket_upgrade.hpp"

namespace gateway::http {

// Found by Beast at the end of a closing handshake. The connection waits for the peer's FIN itself, with its own bound.
template <class Handler>
void async_teardown(boost::beast::role_type, stream& of, Handler&& handler) {
    of.shutdown_send();
    asio::post(of.get_executor(), asio::append(std::forward<Handler>(handler), error_code()));
}
inline void teardown(boost::beast::role_type, stream& of, error_code& ec) {
    of.shutdown_send();
    ec = {};
}
inline void beast_close_socket(stream& of) { of.abort(); }

namespace {

namespace beast = boost::beast;

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t first_bytes = 4 << 10;
constexpr std::size_t most_growth = 8 << 20;
constexpr milliseconds close_time{2'000};
// A peer that is in the middle of a message that is too large may finish sending it, unread, to see why it is closed.
constexpr milliseconds drain_time{30'000};
constexpr std::size_t max_reason_bytes = 123;
constexpr std::size_t max_ping_bytes = 125;

// Beast copies a buffer sequence at every step of a write: one that owns nothing costs nothing.
class borrowed_buffers {
  public:
    using value_type = asio::const_buffer;
    using const_iterator = const asio::const_buffer*;

    explicit borrowed_buffers(const std::vector<asio::const_buffer>& from)
        : begin_(from.data()), end_(from.data() + from.size()) {}
    const_iterator begin() const { return begin_; }
    const_iterator end() const { return end_; }

  private:
    const_iterator begin_;
    const_iterator end_;
};

constexpr auto not_utf8 = static_cast<close_code>(1007);

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Beast checks texts but for this: whether one ends with half a character, when its last frame is empty.
bool ends_with_half_a_character(std::string_view text) {
    auto from = text.size();
    while (from > 0 && is_continuation(text[from - 1])) --from;
    return !is_utf8(text.substr(from > 0 ? from - 1 : 0));
}

// Cut at a character's begin: a reason must be UTF-8.
std::string_view cut_reason(std::string_view reason) {
    if (reason.size() <= max_reason_bytes) return reason;
    auto end = max_reason_bytes;
    while (end > 0 && is_continuation(reason[end])) --end;
    return reason.substr(0, end);
}

class beast_websocket final : public upgraded_websocket, public std::enable_shared_from_this<beast_websocket> {
  public:
    beast_websocket(stream& over, std::shared_ptr<void> owner, upgrade_options options)
        : owner_(std::move(owner)),
          stream_(over),
          socket_(over),
          options_(std::move(options)),
          tasks_(over.get_executor()),
          arrived_(over.get_executor()),
          taken_(over.get_executor()),
          pinged_(over.get_executor()),
          closed_(over.get_executor()),
          ended_event_(over.get_executor()) {}

    awaitable<error_code> accept(request from);
    void start();

    awaitable<result<incoming>> read() override;
    awaitable<result<void>> write(bool binary, std::vector<asio::const_buffer> parts) override;
    awaitable<result<void>> ping(std::string payload) override;
    void on_pong(std::function<void(std::string_view)> callback) override { pong_ = std::move(callback); }
    awaitable<void> close(close_code code, std::string reason) override;
    void abort() override;
    std::chrono::steady_clock::time_point last_received() const override;
    const std::string& subprotocol() const override { return options_.subprotocol; }
    void begin_close(close_code code, std::string reason) override { start_close(code, std::move(reason), close_time); }
    awaitable<void> join() override;

  private:
    using self_ptr = std::shared_ptr<beast_websocket>;

    static awaitable<void> pump(self_ptr self);
    static awaitable<void> watch(self_ptr self, milliseconds interval);
    static awaitable<void> keep_alive(self_ptr self);
    static awaitable<void> do_close(self_ptr self, close_code code, std::string reason, milliseconds limit);
    awaitable<result<incoming>> read_message();
    void start_close(close_code code, std::string reason, milliseconds limit);
    void end(failure why);
    tcp_health health() const { return read_tcp_health(stream_.socket().native_handle()); }

    std::shared_ptr<void> owner_;
    stream& stream_;
    beast::websocket::stream<stream&, false> socket_;
    upgrade_options options_;
    task_group tasks_;
    std::function<void(std::string_view)> pong_;
    std::optional<incoming> ready_;  // read ahead by one, so that pings are answered and pongs seen between reads
    std::optional<failure> ended_;
    event arrived_, taken_, pinged_, closed_, ended_event_;
    bool pinging_ = false;
    bool writing_ = false;
    bool closing_ = false;
    bool close_done_ = false;
};

awaitable<error_code> beast_websocket::accept(request from) {
    beast::http::request<beast::http::empty_body> handshake;
    handshake.method(beast::http::verb::get);
    handshake.version(11);
    handshake.target("/");
    for (const auto& [name, value] : from.headers) handshake.insert(name, value);
    auto decorate = [this](beast::websocket::response_type& answer) {
        for (const auto& [name, value] : options_.headers) answer.set(name, value);
        if (!options_.subprotocol.empty()) answer.set(beast::http::field::sec_websocket_protocol, options_.subprotocol);
    };
    socket_.set_option(beast::websocket::stream_base::decorator(decorate));
    socket_.set_option(beast::websocket::stream_base::timeout{beast::websocket::stream_base::none(),
                                                              beast::websocket::stream_base::none(), false});
    socket_.read_message_max(0);  // counted here: Beast's own limit closes without a reason
    socket_.auto_fragment(false);
    auto [ec] = co_await socket_.async_accept(handshake, tuple_awaitable);
    co_return ec;
}

void beast_websocket::start() {
    auto self = shared_from_this();
    socket_.control_callback([this](beast::websocket::frame_type kind, beast::string_view payload) {
        if (kind == beast::websocket::frame_type::pong && pong_)
            pong_(std::string_view(payload.data(), payload.size()));
    });
    tasks_.spawn("read a WebSocket", pump(self));
    if (options_.ping_interval.count() > 0) tasks_.spawn("watch a WebSocket", watch(self, options_.ping_interval));
}

awaitable<void> beast_websocket::pump(self_ptr self) {
    while (!self->ended_) {
        auto message = co_await self->read_message();
        if (!message) {
            self->end(message.error());
            break;
        }
        if (self->closing_) continue;
        self->ready_ = std::move(*message);
        self->arrived_.notify_all();
        while (self->ready_ && !self->ended_) co_await self->taken_.wait();
    }
}

awaitable<result<websocket::incoming>> beast_websocket::read_message() {
    incoming message;
    std::size_t used = 0;
    auto limit = options_.max_message_bytes;
    do {
        if (used == message.bytes.size())
            message.bytes.resize(std::min(limit + 1, used + std::clamp(used, first_bytes, most_growth)));
        auto room = asio::buffer(message.bytes.data() + used, message.bytes.size() - used);
        auto [ec, count] = co_await socket_.async_read_some(room, tuple_awaitable);
        if (ec == beast::websocket::error::closed)
            co_return failure{errc::peer_gone, fmt::format("the peer closed ({})", socket_.reason().code)};
        if (ec) co_return failure{errc::peer_gone, ec.message()};
        used += count;
        if (used > limit && !closing_) {
            auto reason = fmt::format("message over {} bytes: raise server.ws_max_message_bytes", limit);
            start_close(close_code::too_big, reason, drain_time);
            co_return failure{errc::too_large, reason};
        }
        if (used > limit) used = 0;  // closing: read on, unkept
    } while (!socket_.is_message_done());
    message.binary = socket_.got_binary();
    message.bytes.resize(used);
    if (!message.binary && !closing_ && ends_with_half_a_character(message.bytes)) {
        start_close(not_utf8, "a text must be UTF-8", close_time);
        co_return failure{errc::invalid_request, "a text is not UTF-8"};
    }
    co_return message;
}

awaitable<result<websocket::incoming>> beast_websocket::read() {
    while (!ready_) {
        if (ended_) co_return *ended_;
        co_await arrived_.wait();
    }
    auto message = std::move(*ready_);
    ready_.reset();
    taken_.notify_all();
    co_return message;
}

awaitable<result<void>> beast_websocket::write(bool binary, std::vector<asio::const_buffer> parts) {
    assert(!writing_);
    if (ended_ || closing_) co_return failure{errc::peer_gone, "the WebSocket is closed"};
    writing_ = true;
    socket_.binary(binary);
    auto [ec, count] = co_await socket_.async_write(borrowed_buffers(parts), tuple_awaitable);
    writing_ = false;
    if (!ec) co_return result<void>();
    // Part of a frame may be out: nothing can follow it.
    if (!closing_) abort();
    co_return failure{errc::peer_gone, ec.message()};
}

awaitable<result<void>> beast_websocket::ping(std::string payload) {
    while (pinging_ && !ended_) co_await pinged_.wait();
    if (ended_ || closing_) co_return failure{errc::peer_gone, "the WebSocket is closed"};
    pinging_ = true;
    beast::websocket::ping_data data(payload.substr(0, max_ping_bytes));
    auto [ec] = co_await socket_.async_ping(data, tuple_awaitable);
    pinging_ = false;
    pinged_.notify_all();
    if (ec) co_return failure{errc::peer_gone, ec.message()};
    co_return result<void>();
}

awaitable<void> beast_websocket::close(close_code code, std::string reason) {
    start_close(code, std::move(reason), close_time);
    while (!close_done_) co_await closed_.wait();
}

void beast_websocket::start_close(close_code code, std::string reason, milliseconds limit) {
    if (closing_) return;
    closing_ = true;
    ready_.reset();
    taken_.notify_all();
    tasks_.spawn("close a WebSocket", do_close(shared_from_this(), code, std::move(reason), limit));
}

awaitable<void> beast_websocket::do_close(self_ptr self, close_code code, std::string reason, milliseconds limit) {
    beast::websocket::close_reason why(static_cast<std::uint16_t>(code));
    auto cut = cut_reason(reason);
    why.reason.assign(cut.data(), cut.size());
    auto* socket = self.get();
    deadline bound(self->stream_.get_executor(), [socket] { socket->stream_.abort(); });
    bound.start(limit);
    (void)co_await self->socket_.async_close(why, tuple_awaitable);
    bound.stop();
    self->close_done_ = true;
    self->end(failure{errc::peer_gone, "the WebSocket is closed"});
    self->closed_.notify_all();
}

void beast_websocket::abort() {
    // A close on its way has its own bound: cut, the peer would not learn why.
    if (!closing_ || close_done_) stream_.abort();
    end(failure{errc::peer_gone, "the WebSocket was cut"});
}

void beast_websocket::end(failure why) {
    if (ended_) return;
    ended_ = std::move(why);
    arrived_.notify_all();
    taken_.notify_all();
    pinged_.notify_all();
    ended_event_.notify_all();
}

awaitable<void> beast_websocket::watch(self_ptr self, milliseconds interval) {
    liveness judge(interval);
    while (!self->ended_) {
        co_await self->ended_event_.wait_for(judge.tick_time());
        if (self->ended_) break;
        auto verdict = judge.tick(self->health(), !self->ready_);
        if (verdict == liveness::action::end) {
            log::info("a WebSocket's peer did not answer for two ping intervals: connection ended");
            self->abort();
        }
        if (verdict == liveness::action::ping && !self->pinging_)
            self->tasks_.spawn("ping a WebSocket", keep_alive(self));
    }
}

awaitable<void> beast_websocket::keep_alive(self_ptr self) { (void)co_await self->ping(std::string()); }

std::chrono::steady_clock::time_point beast_websocket::last_received() const {
    return std::chrono::steady_clock::now() - health().since_data;
}

awaitable<void> beast_websocket::join() {
    end(failure{errc::peer_gone, "the WebSocket is closed"});
    if (!closing_ || close_done_) tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace

awaitable<result<std::shared_ptr<upgraded_websocket>>> accept_websocket(stream& over, std::shared_ptr<void> owner,
                                                                        request from, upgrade_options options) {
    auto made = std::make_shared<beast_websocket>(over, std::move(owner), std::move(options));
    auto ec = co_await made->accept(std::move(from));
    if (ec) co_return failure{errc::peer_gone, ec.message()};
    made->start();
    co_return std::shared_ptr<upgraded_websocket>(std::move(made));
}

}  // namespace gateway::http
