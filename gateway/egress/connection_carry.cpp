// What a connection does once it has reached its destination: bytes both ways. One buffer each way, which is read into
// again when all of it was taken: whoever reads slowly slows the sender, and nothing piles up here.
#include <boost/asio/as_tuple.hpp>
#include <memory>

#include "gateway/egress/connection.hpp"

namespace gateway::egress {
namespace {

constexpr int most_interim_answers = 8;  // 100, 103 and their like, which precede the answer (RFC 9110, section 15.2)
constexpr body_length until_close{body_length::kind::until_close, 0};

const std::string bad_answer =
    "HTTP/1.1 502 The answer of the server is malformed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

awaitable<void> keeping(std::shared_ptr<connection> self, awaitable<void> task) {
    co_await std::move(task);
    (void)self;
}

}  // namespace

void connection::carry() {
    carries_ = true;
    last_ = std::chrono::steady_clock::now();
    watch_idle();
    auto spawn = [this](const char* name, awaitable<void> task) {
        shared_->tasks.spawn(name, keeping(shared_from_this(), std::move(task)));
    };
    spawn("egress, out", asked_->is_connect ? carry_tunnel(direction::out) : carry_request());
    spawn("egress, in", asked_->is_connect ? carry_tunnel(direction::in) : carry_answer());
    if (shared_->counted.is_used_up()) stop_reading();
}

awaitable<void> connection::carry_tunnel(direction which) {
    auto how = co_await carry_body(which, until_close, false);
    end_tunnel(which, how == ending::whole);
    if (which == direction::out && !closed_) co_await wait_for_departure();
}

// A half that ended says so to the other side, which may go on.
void connection::end_tunnel(direction which, bool whole) {
    --open_directions_;
    bool lets_finish = whole || shared_->counted.is_used_up();
    if (!lets_finish || open_directions_ == 0) {
        close();
        return;
    }
    error_code ignored;
    auto& to = which == direction::out ? server_ : client_;
    to.shutdown(asio::socket_base::shutdown_send, ignored);
}

awaitable<void> connection::carry_request() {
    const auto& length = asked_->body;
    bool passed = co_await pass(direction::out, asked_->head);
    auto how = passed ? ending::whole : ending::not_taken;
    if (passed) how = co_await carry_body(direction::out, length, length.how == body_length::kind::chunked);
    // A server that takes no more may have answered.
    if (how == ending::broken) close();
    if (!closed_) co_await wait_for_departure();
}

awaitable<void> connection::carry_answer() {
    auto length = co_await carry_answer_head();
    bool is_chunked = length && length->how == body_length::kind::chunked && asked_->minor_version > 0;
    if (length) (void)co_await carry_body(direction::in, *length, is_chunked);
    close();
}

// Interim ones too. Nothing when there is no answer that can be passed on.
awaitable<std::optional<body_length>> connection::carry_answer_head() {
    for (int count = 0; count <= most_interim_answers; ++count) {
        auto text = co_await read_head(server_, from_server_, shared_->how.max_head_bytes);
        auto parsed = text ? parse_answer_head(*text) : result<answer_head>(text.error());
        auto length = parsed ? body_of(*parsed, asked_->method) : result<body_length>(parsed.error());
        bool is_good = length && parsed->status != 101;  // another protocol, which was not asked for
        if (!is_good) break;
        bool is_interim = parsed->status < 200;
        if (!is_interim || asked_->minor_version > 0) {
            auto head = answer_for(*asked_, *parsed, *length);
            bool passed = co_await pass(direction::in, head);
            if (!passed) co_return std::nullopt;
        }
        if (!is_interim) co_return *length;
    }
    if (!closed_ && !shared_->counted.is_used_up()) (void)co_await write_all(client_, bad_answer);
    co_return std::nullopt;
}

awaitable<connection::ending> connection::carry_body(direction which, body_length length, bool in_chunks) {
    auto& from = which == direction::out ? client_ : server_;
    auto had = std::move(which == direction::out ? from_client_ : from_server_);
    body_reader body(length);
    std::string_view bytes = had;
    std::unique_ptr<char[]> buffer;
    while (true) {
        auto taken = body.take(bytes);
        if (!taken) co_return ending::broken;
        if (!taken->empty()) {
            auto framed = in_chunks ? chunk_of(*taken) : std::move(*taken);
            bool passed = co_await pass(which, framed);
            if (!passed) co_return ending::not_taken;
        }
        if (body.is_done()) break;
        if (!buffer) buffer = std::make_unique_for_overwrite<char[]>(shared_->how.buffer_bytes);
        had = std::string();
        auto [ec, count] = co_await read_some(from, buffer.get(), shared_->how.buffer_bytes);
        if (ec) co_return ec == asio::error::eof&& body.may_end() ? ending::whole : ending::broken;
        bytes = std::string_view(buffer.get(), count);
    }
    bool passed = true;
    auto last = chunk_of({});
    if (in_chunks) passed = co_await pass(which, last);
    co_return passed ? ending::whole : ending::not_taken;
}

// False when the ceiling let only a part of it pass, or the peer took no more.
awaitable<bool> connection::pass(direction which, std::string_view bytes) {
    last_ = std::chrono::steady_clock::now();
    auto granted = shared_->counted.take(asked_->to, which, bytes.size());
    auto& to = which == direction::out ? server_ : client_;
    bool written = co_await write_all(to, bytes.substr(0, granted));
    last_ = std::chrono::steady_clock::now();
    co_return written&& granted == bytes.size();
}

// A client that has closed, and not only its half, reads nothing any more.
awaitable<void> connection::wait_for_departure() {
    auto [ec] = co_await client_.async_wait(asio::socket_base::wait_error, asio::as_tuple(asio::use_awaitable));
    if (!ec) close();
}

void connection::watch_idle() {
    idle_.expires_at(last_ + shared_->how.idle_timeout);
    idle_.async_wait([weak = weak_from_this()](error_code ec) {
        auto self = weak.lock();
        if (ec || !self || self->closed_) return;
        if (std::chrono::steady_clock::now() >= self->last_ + self->shared_->how.idle_timeout)
            self->close();
        else
            self->watch_idle();
    });
}

void connection::stop_reading() {
    if (!carries_) return;
    error_code ignored;
    client_.shutdown(asio::socket_base::shutdown_receive, ignored);
    server_.shutdown(asio::socket_base::shutdown_receive, ignored);
}

void connection::close() {
    closed_ = true;
    idle_.cancel();
    egress::close(client_);
    egress::close(server_);
}

}  // namespace gateway::egress
