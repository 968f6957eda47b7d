#include "gateway/http/connection.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/as_tuple.hpp>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/websocket_upgrade.hpp"

namespace gateway::http {
namespace {

constexpr milliseconds close_time{2'000};
constexpr milliseconds close_time_at_stop{500};

reader_limits limits_of(const server_options& options) {
    reader_limits limits;
    limits.header_bytes = options.max_header_bytes;
    limits.body_advice = options.max_body_advice;
    limits.header_time = std::chrono::seconds(options.request_header_timeout_s);
    limits.idle_time = std::chrono::seconds(options.idle_connection_timeout_s);
    limits.stall_time = std::chrono::seconds(options.stall_timeout_s);
    limits.bytes_per_s = options.min_bytes_per_s;
    return limits;
}

std::function<void()> canceller(stream& of) {
    return [&of] {
        error_code ignored;
        of.socket().cancel(ignored);
    };
}

int status_of_failed_read(const failure& why, int too_large) {
    if (why.code == errc::timeout) return 408;
    if (why.code == errc::too_large) return too_large;
    return why.code == errc::unavailable ? 503 : 400;
}

std::string describe(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of an unknown type";
    }
}

}  // namespace

connection::connection(std::shared_ptr<shared_state> shared, asio::ip::tcp::socket socket, std::string remote)
    : shared_(std::move(shared)),
      stream_(std::move(socket), shared_->tls.get()),
      reading_(stream_.get_executor(), canceller(stream_)),
      writing_(stream_.get_executor(), canceller(stream_)),
      reader_(stream_, reading_, limits_of(shared_->options)),
      remote_(std::move(remote)),
      sending_(std::chrono::seconds(shared_->options.stall_timeout_s), shared_->options.min_bytes_per_s) {
    stream_.set_peer_timeout(std::chrono::seconds(shared_->options.stall_timeout_s));
    shared_->connections.insert(this);
    place_.enter(shared_->waiting, this);
    over_limit_ = shared_->staying() > shared_->options.max_connections;
}

connection::~connection() {
    shared_->connections.erase(this);
    if (replaced_) --shared_->replaced;
    shared_->one_left.notify_all();
}

awaitable<void> connection::run(std::shared_ptr<connection> self) {
    self->reading_.start(std::chrono::seconds(self->shared_->options.request_header_timeout_s));
    auto ec = co_await self->stream_.handshake();
    self->reading_.stop();
    if (ec) {
        log::debug("TLS handshake with {}: {}", self->remote_, ec.message());
        co_return;
    }
    co_await self->serve();
}

awaitable<void> connection::serve() {
    while (!shared_->stopping && !replaced_) {
        place_.enter(shared_->waiting, this);
        waiting_ = true;
        bool came = co_await reader_.wait_for_request();
        waiting_ = false;
        if (!came) co_return;  // nothing is unread: closing loses nothing
        if (replaced_) break;
        place_.enter(shared_->waiting, this);  // its request has begun: the last in the line again
        std::exception_ptr thrown;
        bool go_on = false;
        try {
            go_on = co_await serve_one();
        } catch (...) {
            thrown = std::current_exception();
        }
        auto cancellation = co_await asio::this_coro::cancellation_state;
        if (thrown && cancellation.cancelled() != asio::cancellation_type::none) {
            end();
            std::rethrow_exception(thrown);
        }
        if (thrown) go_on = co_await recover(thrown);
        if (!go_on) break;
    }
    if (replaced_) stream_.abort();
    co_await close();
}

// The one place where what a handler throws is caught.
awaitable<bool> connection::recover(std::exception_ptr thrown) {
    log::error("{}: {}", request_id_, describe(thrown));
    if (auto socket = websocket_.lock()) {
        co_await socket->close(close_code::internal_error, "internal error, logged as " + request_id_);
        co_await socket->join();
        co_return false;
    }
    if (answering_) {
        stream_.abort();
        co_return false;
    }
    failure why{errc::internal_error, "the gateway failed at this; its log says why under this request id"};
    auto answer = error_response(why, error_style::jupyter, request_id_);
    auto& body = std::get<std::string>(answer.body);
    framing how;
    how.content_length = body.size();
    how.keep_alive = false;
    auto head = write_head(answer, how, request_id_, {});
    co_await send_text(head, body);
    co_return false;
}

awaitable<bool> connection::serve_one() {
    request_id_ = make_id("req_");
    answering_ = false;
    auto head = co_await reader_.read_head();
    if (!head) co_return co_await answer_failed_head(head.error());
    exchange now;
    now.started = std::chrono::steady_clock::now();
    now.head = std::move(*head);
    now.keep_alive = now.head.keep_alive;
    now.body_read = !now.head.has_body;
    auto& what = now.head.what;
    what.id = request_id_;
    what.remote = remote_;
    what.secure = stream_.is_secure();
    now.decision = shared_->gate->decide(what, now.head.target);
    key_id_ = what.caller.key_id;
    revoked_ = false;
    if (now.decision.answer) {
        auto answer = std::move(*now.decision.answer);
        co_return co_await send(now, std::move(answer));
    }
    co_return co_await answer(now);
}

awaitable<bool> connection::answer_failed_head(failure why) {
    if (why.code == errc::peer_gone) co_return false;
    exchange now;
    now.started = std::chrono::steady_clock::now();
    now.keep_alive = false;
    auto answer = error_response(why, error_style::jupyter, request_id_,
                                 status_of_failed_read(why, reader_.line_too_long() ? 414 : 431));
    co_return co_await send(now, std::move(answer));
}

awaitable<bool> connection::answer(exchange& of) {
    auto& what = of.head.what;
    const auto& route = *of.decision.found;
    if (auto refused = refuse_unread(of)) co_return co_await send(of, std::move(*refused));
    if (route.method == "WS") {
        place_.leave();
        co_return co_await serve_websocket(of);
    }
    failure stopping{errc::unavailable, "the gateway is restarting: ask again in a moment"};
    if (route.streams_body) {
        if (shared_->stopping) co_return co_await refuse(of, stopping);
        auto answer = co_await handle_streaming(of);
        co_return co_await send(of, std::move(answer));
    }
    body_room room(*shared_);
    if (auto received = co_await receive_body(of, room); !received) {
        if (received.error().code == errc::peer_gone) co_return false;
        co_return co_await refuse(of, received.error(), status_of_failed_read(received.error(), 413));
    }
    if (shared_->stopping) co_return co_await refuse(of, stopping);
    place_.leave();
    auto answer = co_await handle(route, what);
    co_return co_await send(of, std::move(answer));
}

// What speaks against the request before its body is read.
std::optional<response> connection::refuse_unread(exchange& of) const {
    const auto& route = *of.decision.found;
    if (!over_limit_) return route.admit ? route.admit(of.head.what) : std::nullopt;
    of.keep_alive = false;
    auto limit = shared_->options.max_connections;
    failure why{errc::unavailable, fmt::format("{} connections are open: raise server.max_connections", limit)};
    return error_response(why, route.errors, request_id_);
}

awaitable<bool> connection::refuse(exchange& of, failure why, int status) {
    auto answer = error_response(why, of.decision.found->errors, request_id_, status);
    if (status == 426) answer.headers.emplace_back("Sec-WebSocket-Version", "13");
    co_return co_await send(of, std::move(answer));
}

std::size_t connection::body_limit(const exchange& of) const {
    auto own = of.decision.found->max_body_bytes;
    return own > 0 ? own : shared_->options.max_body_bytes;
}

awaitable<result<void>> connection::receive_body(exchange& of, body_room& room) {
    auto limit = body_limit(of);
    auto announced = of.head.announced_bytes.value_or(0);
    if (announced > limit)
        co_return failure{errc::too_large,
                          fmt::format("the body is over {} bytes: {}", limit, shared_->options.max_body_advice)};
    if (!of.head.has_body) co_return result<void>();
    if (!room.take(announced, limit))
        co_return failure{errc::unavailable, "too many large requests at a time: send it again in a moment"};
    if (of.head.expects_continue && !co_await write("HTTP/1.1 100 Continue\r\n\r\n"))
        co_return failure{errc::peer_gone, "the client is gone"};
    auto body = co_await reader_.read_body(limit);
    if (!body) co_return body.error();
    of.head.what.body = std::move(*body);
    of.body_read = true;
    co_return result<void>();
}

// What it leaves unread is read by nobody: the connection ends with the answer.
awaitable<response> connection::handle_streaming(exchange& of) {
    auto& what = of.head.what;
    place_.leave();
    what.announced_bytes = of.head.announced_bytes;
    what.body_pieces = [this, &of] { return receive_piece(of); };
    auto answer = co_await of.decision.found->handle(what);
    what.body_pieces = nullptr;
    co_return answer;
}

awaitable<result<std::optional<std::string>>> connection::receive_piece(exchange& of) {
    result<std::optional<std::string>> piece = std::optional<std::string>();
    if (of.body_read) co_return piece;
    piece = failure{errc::peer_gone, "the client is gone"};
    if (std::exchange(of.head.expects_continue, false) && !co_await write("HTTP/1.1 100 Continue\r\n\r\n"))
        co_return piece;
    if (replaced_) co_return piece;
    receiving_ = true;
    place_.enter(shared_->waiting, this);
    if (!revoked_) piece = co_await reader_.read_piece();
    place_.leave();
    receiving_ = false;
    if (revoked_) piece = failure{errc::unauthorized, "this key was revoked"};
    if (piece && !*piece) of.body_read = true;
    co_return piece;
}

awaitable<void> connection::close() {
    if (!stream_.socket().is_open()) co_return;
    if (!replaced_) place_.enter(shared_->waiting, this);  // for the peer's close
    reading_.start(shared_->stopping ? close_time_at_stop : close_time);
    co_await stream_.close();
    reading_.stop();
}

void connection::end_if_idle() {
    if (waiting_) canceller(stream_)();
}

void connection::make_room() {
    if (!place_.leave()) return;
    if (!std::exchange(replaced_, true)) ++shared_->replaced;
    canceller(stream_)();
}

void connection::begin_close() {
    if (auto socket = websocket_.lock()) socket->begin_close(close_code::service_restart, "gateway is restarting");
}

void connection::end() {
    if (auto socket = websocket_.lock()) socket->abort();
    stream_.abort();
    if (cancellable_) peer_left_.emit(asio::cancellation_type::all);
}

void connection::close_key(const std::string& key_id) {
    if (key_id_ != key_id) return;
    revoked_ = true;
    if (cancellable_ || receiving_) end();
    if (auto socket = websocket_.lock()) socket->begin_close(close_code::policy, "the key was revoked");
}

}  // namespace gateway::http
