#include "gateway/api/agent/socket.hpp"

#include <utility>

#include "gateway/api/agent/methods.hpp"
#include "gateway/api/agent/notification.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::api::agent {
namespace {

constexpr std::size_t batch_bytes = 256u << 10;
// A peer that sends calls but reads no answers is not read from any more past this.
constexpr std::size_t most_waiting_answers = 1u << 20;
constexpr std::size_t most_calls_at_once = 64;

}  // namespace

agent_socket::agent_socket(executor ex, http::websocket& ws, shared_session session, asio::thread_pool* pool)
    : ex_(ex),
      ws_(ws),
      session_(std::move(session)),
      pool_(pool),
      counted_(session_->count_agent_socket()),
      cursor_(session_->log().open(session_->log().last_seq())),
      answered_(ex),
      ended_(ex),
      tasks_(ex) {
    cursor_->set_filter([this](const sessions::entry& what) { return filter_.wants(what); });
}

awaitable<void> agent_socket::run() {
    // Cancelled or not, reader, writer and calls must have ended before this object goes.
    bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    tasks_.spawn("reading an agent's socket", read_calls());
    tasks_.spawn("writing an agent's socket", write_frames());
    if (!ending_) co_await ended_.wait();
    end();
    co_await tasks_.join();
    co_await asio::this_coro::throw_if_cancelled(throwing);
}

void agent_socket::end() {
    if (std::exchange(ending_, true)) return;
    ended_.notify_all();
    tasks_.cancel();
}

awaitable<void> agent_socket::read_calls() {
    while (!ending_) {
        auto frame = co_await ws_.read();
        if (!frame) break;
        auto parsed = co_await parse(std::move(frame->bytes));
        if (ending_) break;
        // What needs no waiting is done when spawn() returns, so calls keep their order.
        auto calls = std::make_shared<rpc_frame>(std::move(parsed));
        tasks_.spawn("an agent's call", serve(std::move(calls)));
        while (!ending_ && (answer_bytes_ > most_waiting_answers || tasks_.size() > most_calls_at_once))
            co_await answered_.wait();
    }
    if (!closing_) end();
}

// Large ones in the pool.
awaitable<rpc_frame> agent_socket::parse(std::string frame) {
    if (!pool_ || frame.size() <= most_request_bytes) co_return parse_rpc(frame);
    auto read = [&frame] { return parse_rpc(frame); };
    co_return co_await run_on(*pool_, std::move(read));
}

awaitable<void> agent_socket::serve(std::shared_ptr<rpc_frame> frame) {
    std::string all;
    for (const auto& call : frame->calls) {
        auto text = co_await answer(call);
        if (!call.wants_answer() || text.empty()) continue;
        all += (all.empty() ? "" : ",") + text;
    }
    if (!all.empty()) send(frame->is_batch ? "[" + all + "]" : std::move(all));
    answered_.notify_all();
}

awaitable<std::string> agent_socket::answer(const rpc_call& call) {
    std::string text;
    if (call.malformed) {
        text = rpc_failure(call.id, *call.malformed, make_id("req_"));
        co_return text;
    }
    auto outcome = co_await call_method(*this, call.method, call.params);
    text = outcome.error ? rpc_failure(call.id, *outcome.error, make_id("req_")) : rpc_result(call.id, outcome.result);
    co_return text;
}

void agent_socket::send(std::string answer) {
    answer_bytes_ += answer.size();
    answers_.push_back(std::move(answer));
    cursor_->wake();
}

awaitable<void> agent_socket::write_frames() {
    bool alive = true;
    while (alive && !ending_) {
        alive = co_await write_answers();
        if (alive) alive = co_await write_entries();
    }
    // The log is at its end and everything was told.
    closing_ = !ending_ && cursor_->closed();
    if (closing_) co_await close_at_end();
    if (!ending_ && !closing_) ws_.abort();
    end();
}

awaitable<void> agent_socket::close_at_end() {
    const bool restarts = session_->reason() == sessions::cell_reason::gateway_ended;
    if (restarts)
        co_await ws_.close(http::close_code::service_restart, "gateway is restarting");
    else
        co_await ws_.close(http::close_code::normal, "session ended");
}

awaitable<bool> agent_socket::write_answers() {
    while (!answers_.empty()) {
        auto text = std::move(answers_.front());
        answers_.pop_front();
        answer_bytes_ -= text.size();
        answered_.notify_all();
        std::vector<asio::const_buffer> parts(1, asio::buffer(text));
        auto sent = co_await ws_.write(false, std::move(parts));
        if (!sent) co_return false;
    }
    co_return true;
}

// Writes what the log has, with answers in between; waits for something when there is nothing.
awaitable<bool> agent_socket::write_entries() {
    auto batch = co_await cursor_->next(batch_bytes);
    if (batch.empty()) co_return !cursor_->closed() || !answers_.empty();
    auto moves = moves_;
    for (auto& each : batch) {
        in_hand_ = each->seq;
        auto told = make_notification(std::move(each));
        auto sent = co_await ws_.write(false, told.parts());
        bool alive = sent.has_value();
        if (alive) alive = co_await write_answers();
        if (!alive || moves != moves_) {
            in_hand_.reset();
            co_return alive;
        }
    }
    in_hand_.reset();
    cursor_->release(cursor_->position());
    co_return true;
}

std::uint64_t agent_socket::told() const { return in_hand_.value_or(cursor_->position()); }

void agent_socket::go_to(std::uint64_t after_seq) {
    ++moves_;
    filter_.attach_after(after_seq);
    cursor_->seek(after_seq);
}

void agent_socket::attach_from_now() { filter_.attach_from_now(session_->log().last_seq()); }

void agent_socket::own(const sessions::submitted& cell) {
    auto back_to = filter_.own(cell.cell_id, cell.seq, told());
    if (!back_to) return;
    ++moves_;
    cursor_->seek(*back_to);
}

namespace {

awaitable<result<std::string>> accept(context& with, const http::request& from) {
    if (auto good = check_query(from, {"user_id"}); !good) co_return good.error();
    auto found = find_session(with, from);
    if (!found) co_return found.error();
    co_return std::string();
}

awaitable<void> serve_socket(context& with, const http::request& from, http::websocket& ws) {
    auto found = find_session(with, from);
    if (!found) {
        co_await ws.close(http::close_code::normal, "session ended");
        co_return;
    }
    auto ex = co_await asio::this_coro::executor;
    agent_socket socket(ex, ws, std::move(*found), with.options.pool);
    co_await socket.run();
}

}  // namespace

void add_socket_route(http::router& routes, const std::shared_ptr<context>& with) {
    http::route added;
    added.method = "WS";
    added.pattern = "/api/v1/sessions/{}/ws";
    added.needed = http::scope::execute;
    added.errors = http::error_style::agent;
    added.upgrade.accept = [with](const http::request& from, const std::vector<std::string>&) {
        return accept(*with, from);
    };
    added.upgrade.serve = [with](const http::request& from, http::websocket& ws) {
        return serve_socket(*with, from, ws);
    };
    routes.add(std::move(added));
}

}  // namespace gateway::api::agent
