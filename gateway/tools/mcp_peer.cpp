#include "gateway/tools/mcp_peer.hpp"

#include <utility>

#include "gateway/base/thread_pool.hpp"

namespace gateway::tools {
namespace {

constexpr milliseconds message_limit{30'000};  // for what has no answer

milliseconds until(std::chrono::steady_clock::time_point end) {
    return std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
}

}  // namespace

struct mcp_peer::waiter {
    explicit waiter(executor ex) : changed(std::move(ex)) {}
    event changed;
    std::optional<result<mcp_answer>> answer;
};

// Keeps a request in the table as long as its caller waits.
class mcp_peer::registration {
  public:
    registration(mcp_peer& on, std::uint64_t number, std::shared_ptr<waiter> by) : on_(on), number_(number) {
        on_.waiting_.emplace(number, std::move(by));
    }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;
    ~registration() { on_.waiting_.erase(number_); }

  private:
    mcp_peer& on_;
    std::uint64_t number_;
};

mcp_peer::mcp_peer(executor ex, std::unique_ptr<transport> over, asio::thread_pool& decoders,
                   std::function<void()> on_tools_changed)
    : ex_(ex),
      transport_(std::move(over)),
      decoders_(decoders),
      on_tools_changed_(std::move(on_tools_changed)),
      tasks_(ex) {}

awaitable<failure> mcp_peer::run() {
    auto why = co_await transport_->run();
    over_ = why;
    fail_all({errc::tool_failed, why.message});
    co_return why;
}

void mcp_peer::fail_all(const failure& why) {
    auto waiting = waiting_;  // completing one may change the table
    for (const auto& [number, unused] : waiting) complete(number, why);
}

void mcp_peer::interrupt(failure why) {
    if (!over_) over_ = why;
    transport_->interrupt(std::move(why));
}

awaitable<void> mcp_peer::close(bool at_once) {
    co_await transport_->close(at_once);
    tasks_.cancel();
    co_await tasks_.join();
}

awaitable<result<mcp_answer>> mcp_peer::request(std::string method, std::string params, milliseconds limit) {
    if (over_) co_return failure{errc::unavailable, over_->message};
    auto number = ++last_number_;
    auto mine = std::make_shared<waiter>(ex_);
    registration held(*this, number, mine);
    tasks_.spawn("request to an MCP server", deliver(number, encode_request(number, method, params), limit));
    auto end = std::chrono::steady_clock::now() + limit;
    while (!mine->answer) {
        asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            abandon(number, "the caller is gone");
            co_return failure{errc::cancelled, "the call was cancelled"};
        }
        auto left = until(end);
        if (left.count() <= 0) {
            abandon(number, "timeout");
            co_return failure{errc::timeout, "it took longer than " + std::to_string(limit.count()) + " ms"};
        }
        co_await mine->changed.wait_for(left);
    }
    co_return std::move(*mine->answer);
}

awaitable<void> mcp_peer::deliver(std::uint64_t number, std::string message, milliseconds limit) {
    // A moment longer than the caller waits, who tells the server when it gives up.
    auto sent = co_await transport_->send(std::move(message), number, limit + milliseconds(1'000));
    if (sent) co_return;
    auto why = sent.error();
    on_lost(number, why);
    if (why.code == errc::unavailable) interrupt(std::move(why));
}

void mcp_peer::notify(std::string method, std::string params) { post(encode_notification(method, params)); }

void mcp_peer::post(std::string message) {
    if (!over_) tasks_.spawn("message to an MCP server", deliver_message(std::move(message)));
}

awaitable<void> mcp_peer::deliver_message(std::string message) {
    (void)co_await transport_->send(std::move(message), std::nullopt, message_limit);
}

void mcp_peer::abandon(std::uint64_t number, const char* why) {
    notify("notifications/cancelled", R"({"requestId":)" + std::to_string(number) + R"(,"reason":")" + why + R"("})");
}

awaitable<void> mcp_peer::on_text(std::string text, std::optional<std::uint64_t> asked) {
    std::vector<mcp_message> messages;
    bool is_large = text.size() > large_message_bytes;
    if (is_large) {
        auto decode = [&text] { return decode_mcp(text); };
        messages = co_await run_on(decoders_, std::move(decode));
    } else {
        messages = decode_mcp(text);
    }
    for (auto& each : messages) handle(std::move(each), is_large, asked);
}

void mcp_peer::handle(mcp_message message, bool is_large, std::optional<std::uint64_t> asked) {
    if (message.what == mcp_message::kind::request) return answer_request(message);
    if (message.what == mcp_message::kind::answer) {
        mcp_answer answer{std::move(message.result), message.error_code, std::move(message.error), is_large};
        return complete(*message.number, std::move(answer));
    }
    if (message.what == mcp_message::kind::unreadable) {
        failure why{errc::tool_failed, std::move(message.error)};
        return asked ? complete(*asked, std::move(why)) : fail_all(why);
    }
    if (message.method == "notifications/tools/list_changed") on_tools_changed_();
}

void mcp_peer::answer_request(const mcp_message& message) {
    if (message.method == "ping") return post(encode_answer(message.id, "{}"));
    post(encode_refusal(message.id, rpc_method_not_found, "this client offers nothing but ping"));
}

bool mcp_peer::is_waiting(std::uint64_t number) const {
    auto found = waiting_.find(number);
    return found != waiting_.end() && !found->second->answer;
}

void mcp_peer::on_lost(std::uint64_t number, failure why) { complete(number, std::move(why)); }

void mcp_peer::complete(std::uint64_t number, result<mcp_answer> with) {
    auto found = waiting_.find(number);
    if (found == waiting_.end() || found->second->answer) return;  // late
    found->second->answer = std::move(with);
    found->second->changed.notify_all();
}

}  // namespace gateway::tools
