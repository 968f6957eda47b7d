#include "gateway/egress/connection.hpp"

#include <fmt/format.h>

#include <array>

#include "gateway/base/log.hpp"
#include "gateway/egress/dial.hpp"
#include "gateway/egress/refusal.hpp"

namespace gateway::egress {
namespace {

const std::string established = "HTTP/1.1 200 Connection established\r\n\r\n";

int status_of(errc code) {
    if (code == errc::too_large) return 431;
    if (code == errc::timeout) return 408;
    return 400;
}

// What the system may hold of what was written to a client, in buffers.
constexpr std::size_t sent_ahead = 2;

}  // namespace

connection::connection(std::shared_ptr<shared_state> shared, socket client, bool over_limit)
    : shared_(std::move(shared)),
      client_(std::move(client)),
      server_(shared_->ex),
      over_limit_(over_limit),
      idle_(shared_->ex) {
    error_code ignored;  // else the system keeps megabytes for a client that does not read
    client_.set_option(asio::socket_base::send_buffer_size(static_cast<int>(sent_ahead * shared_->how.buffer_bytes)),
                       ignored);
    shared_->connections.insert(this);
}

connection::~connection() { shared_->connections.erase(this); }

awaitable<void> connection::run(std::shared_ptr<connection> self) {
    co_await self->serve();
    if (!self->carries_) self->close();
}

awaitable<void> connection::serve() {
    auto asked = co_await read_request();
    if (closed_ || (!asked && asked.error().code == errc::peer_gone)) co_return;
    if (!asked) {
        co_await refuse(status_of(asked.error().code), asked.error());
        co_return;
    }
    asked_ = std::move(*asked);
    if (over_limit_) {
        failure full{errc::limit_reached,
                     fmt::format("the session has network.max_connections ({}) connections: end some first",
                                 shared_->how.max_connections)};
        co_await refuse(503, std::move(full));
        co_return;
    }
    bool good = co_await reach();
    if (good && asked_->is_connect) good = co_await begin_tunnel();
    if (!good || closed_) co_return;
    carry();
}

awaitable<result<forwarding>> connection::read_request() {
    auto head = co_await with_timeout(read_head(client_, from_client_, shared_->how.max_head_bytes),
                                      shared_->how.head_timeout, "a request's head (network.head_timeout_s)");
    if (!head) co_return head.error();
    if (head->empty()) co_return failure{errc::peer_gone, "nothing was asked"};
    auto parsed = parse_request_head(*head);
    if (!parsed) co_return parsed.error();
    co_return plan(*parsed);
}

// As things are now.
std::optional<denial> connection::find_denial() const {
    if (asked_->refused) return asked_->refused;
    if (auto why = check(shared_->what, asked_->to)) return why;
    if (hides_name_ && shared_->what.mode != network_mode::all) return denial::encrypted_client_hello;
    return std::nullopt;
}

void connection::judge_again() {
    if (!asked_ || denied_ || closed_) return;
    auto why = find_denial();
    if (!why) return;
    count_denied(*why);
    close();
}

awaitable<bool> connection::reach() {
    auto why = find_denial();
    if (!why && shared_->counted.is_used_up()) why = denial::bytes_used_up;
    if (why) {
        co_await deny(*why);
        co_return false;
    }
    auto reached = co_await dial(shared_->ex, shared_->how, asked_->to, server_);
    if (closed_) co_return false;
    if (!reached && reached.error().code == errc::forbidden) {
        log::debug("egress: {}: {}", asked_->to.text(), reached.error().message);
        co_await deny(denial::address_refused);
        co_return false;
    }
    if (!reached) {
        co_await refuse(reached.error().code == errc::timeout ? 504 : 502, reached.error());
        co_return false;
    }
    shared_->counted.count_connection(asked_->to);
    co_return true;
}

awaitable<bool> connection::begin_tunnel() {
    bool told = co_await write_all(client_, established);
    if (!told) co_return false;
    auto why = co_await with_timeout(read_hello(), shared_->how.head_timeout, "a ClientHello");
    if (closed_) co_return false;
    // Nothing came: most likely a protocol in which the server speaks first.
    if (!why && why.error().code == errc::timeout)
        why = from_client_.empty() ? denial::not_tls : denial::malformed_hello;
    if (!why) co_return false;
    if (!*why) co_return true;
    count_denied(**why);
    if (**why != denial::not_tls) (void)co_await write_all(client_, access_denied_alert);
    co_return false;
}

// Nothing when it may begin; what was read stays in from_client_. peer_gone.
awaitable<result<std::optional<denial>>> connection::read_hello() {
    using state = hello_reader::state;
    hello_reader reader(shared_->how.max_hello_bytes);
    std::array<char, 4096> piece;
    auto at = reader.feed(from_client_);
    while (at == state::more) {
        auto [ec, count] = co_await read_some(client_, piece.data(), piece.size());
        if (ec) co_return failure{errc::peer_gone, "the client closed before its ClientHello"};
        from_client_.append(piece.data(), count);
        at = reader.feed({piece.data(), count});
    }
    if (at == state::not_tls) co_return std::optional(denial::not_tls);
    if (at == state::malformed) co_return std::optional(denial::malformed_hello);
    hides_name_ = reader.hello().encrypted;
    co_return judge(reader.hello(), asked_->to, shared_->what.mode);
}

awaitable<void> connection::refuse(int status, failure why) {
    auto answer = refusal(status, why);
    (void)co_await write_all(client_, answer);
}

void connection::count_denied(denial why) {
    denied_ = true;
    shared_->counted.count_denied(asked_->to, why);
}

awaitable<void> connection::deny(denial why) {
    count_denied(why);
    auto answer = refusal(why, asked_->to);
    (void)co_await write_all(client_, answer);
}

}  // namespace gateway::egress
