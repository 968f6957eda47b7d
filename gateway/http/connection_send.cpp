// How a connection sends an answer: whole, or streamed for as long as the client is there.
#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>

#include "gateway/base/log.hpp"
#include "gateway/http/connection.hpp"

namespace gateway::http {
namespace {

// A body up to this goes into the same write as the head.
constexpr std::size_t joined_bytes = 64 << 10;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find_first_of("?#")); }

bool is_cancelled(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
        return error.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

}  // namespace

awaitable<bool> connection::send(exchange& of, response answer) {
    place_.leave();
    sending_.begin();
    if (!of.body_read || shared_->stopping) of.keep_alive = false;
    log_access(of, answer.status);
    bool is_head = of.head.what.method == "HEAD";
    auto* source = std::get_if<body_source>(&answer.body);
    auto* text = std::get_if<std::string>(&answer.body);
    framing how;
    how.is_http_1_0 = of.head.is_http_1_0;
    how.content_length = answer.content_length;
    if (text && !how.content_length) how.content_length = text->size();
    how.chunked = !how.content_length && !how.is_http_1_0;
    how.keep_alive = of.keep_alive = of.keep_alive && (how.content_length || how.chunked);
    auto head = write_head(answer, how, request_id_, of.decision.headers);
    answering_ = true;
    if (is_head || !has_body(answer.status)) co_return co_await write(head) && of.keep_alive;
    bool sent = false;
    if (text) {
        sent = co_await send_text(head, *text);
    } else {
        auto pieces = std::move(*source);
        sent = co_await send_stream(std::move(pieces), std::move(head), how);
    }
    co_return sent&& of.keep_alive;
}

awaitable<bool> connection::send_text(const std::string& head, const std::string& body) {
    if (body.size() <= joined_bytes) {
        auto joined = head + body;
        co_return co_await write(joined);
    }
    if (!co_await write(head)) co_return false;
    co_return co_await write(body);
}

awaitable<bool> connection::send_stream(body_source source, std::string head, framing how) {
    if (!co_await write(head)) co_return false;
    auto pieces = send_pieces(shared_from_this(), std::move(source), how);
    auto [thrown, sent] = co_await while_peer_stays(std::move(pieces));
    if (thrown && !is_cancelled(thrown)) std::rethrow_exception(thrown);
    if (thrown || !sent) stream_.abort();
    co_return !thrown && sent;
}

// False when the client is gone, and when the source did not give what was announced.
awaitable<bool> connection::send_pieces(std::shared_ptr<connection> self, body_source source, framing how) {
    std::uint64_t left = how.content_length.value_or(0);
    while (true) {
        auto piece = co_await source();
        if (!piece) break;
        if (piece->empty()) continue;
        if (how.content_length && piece->size() > left) co_return false;
        left -= how.content_length ? piece->size() : 0;
        if (!how.chunked) {
            if (!co_await self->write(*piece)) co_return false;
            continue;
        }
        auto framed = fmt::format("{:x}\r\n", piece->size());
        framed.append(*piece).append("\r\n");
        if (!co_await self->write(framed)) co_return false;
    }
    if (!how.chunked) co_return left == 0;
    co_return co_await self->write("0\r\n\r\n");
}

template <class Value>
awaitable<std::pair<std::exception_ptr, Value>> connection::while_peer_stays(awaitable<Value> work) {
    auto ex = co_await asio::this_coro::executor;
    task_group beside(ex);
    cancellable_ = true;
    beside.spawn("watch for the client's close", watch_peer(shared_from_this()));
    auto token = asio::bind_cancellation_slot(peer_left_.slot(), asio::as_tuple(asio::use_awaitable));
    auto [thrown, value] = co_await asio::co_spawn(ex, std::move(work), token);
    cancellable_ = false;
    beside.cancel();
    co_await beside.join();
    co_return std::pair<std::exception_ptr, Value>(thrown, std::move(value));
}

awaitable<response> connection::handle(const route& which, request& what) {
    auto work = which.handle(what);
    if (!shared_->options.cancel_abandoned) co_return co_await std::move(work);
    auto [thrown, answer] = co_await while_peer_stays(std::move(work));
    if (thrown && !is_cancelled(thrown)) std::rethrow_exception(thrown);
    if (thrown) answer = error_response(failure{errc::cancelled, "the client is gone"}, which.errors, request_id_);
    co_return std::move(answer);
}

awaitable<void> connection::watch_peer(std::shared_ptr<connection> self) {
    bool left = co_await self->reader_.wait_for_close();
    if (left && self->cancellable_) self->peer_left_.emit(asio::cancellation_type::all);
}

awaitable<bool> connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        auto since = std::chrono::steady_clock::now();
        writing_.start(sending_.left());
        auto [ec, count] = co_await stream_.async_write_some(asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
        writing_.stop();
        if (ec) co_return false;
        sending_.add(std::chrono::steady_clock::now() - since, count);
        bytes.remove_prefix(count);
    }
    co_return true;
}

void connection::log_access(const exchange& of, int status) const {
    auto spent = std::chrono::steady_clock::now() - of.started;
    log::debug("{} {} {} {} ms {}", of.head.what.method, path_of(of.head.target), status,
               std::chrono::duration_cast<milliseconds>(spent).count(), request_id_);
}

}  // namespace gateway::http
