// A WebSocket whose peer is the test: frames are given to it, and what was written is kept. A peer may stop reading, be
// cut, or close; every wait ends when it is cancelled, as the real one's do.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/websocket.hpp"

namespace test_support {

class fake_websocket final : public gateway::http::websocket {
  public:
    explicit fake_websocket(gateway::executor ex, std::string subprotocol = {})
        : changed_(std::move(ex)), subprotocol_(std::move(subprotocol)) {}

    // --- the peer's side ---
    void give(std::string bytes, bool binary = false) {
        frames_.push_back({binary, std::move(bytes)});
        changed_.notify_all();
    }
    void cut() {
        gone_ = true;
        changed_.notify_all();
    }
    void stop_reading() { stalled_ = true; }
    void start_reading() {
        stalled_ = false;
        changed_.notify_all();
    }
    // Answers every ping from now on, beginning with those that wait.
    void answer_pings() {
        answering_ = true;
        for (const auto& each : pings) pong(each);
    }
    void pong(const std::string& payload) {
        if (on_pong_) on_pong_(payload);
    }

    std::vector<incoming> written;
    std::vector<std::string> pings;
    std::optional<std::pair<gateway::http::close_code, std::string>> closed;
    bool aborted = false;
    int writing = 0;  // write() calls that have not returned

    // --- the gateway's side ---
    gateway::awaitable<gateway::result<incoming>> read() override {
        while (frames_.empty() && !is_over()) co_await changed_.wait();
        if (is_over()) co_return gone();
        auto frame = std::move(frames_.front());
        frames_.pop_front();
        co_return frame;
    }
    gateway::awaitable<gateway::result<void>> write(bool binary,
                                                    std::vector<boost::asio::const_buffer> parts) override {
        ++writing;
        while (stalled_ && !is_over()) co_await changed_.wait();
        --writing;
        if (is_over()) co_return gone();
        incoming frame;
        frame.binary = binary;
        for (const auto& each : parts) frame.bytes.append(static_cast<const char*>(each.data()), each.size());
        written.push_back(std::move(frame));
        co_return gateway::result<void>();
    }
    gateway::awaitable<gateway::result<void>> ping(std::string payload) override {
        if (is_over()) co_return gone();
        pings.push_back(payload);
        if (answering_) pong(payload);
        co_return gateway::result<void>();
    }
    void on_pong(std::function<void(std::string_view)> callback) override { on_pong_ = std::move(callback); }
    gateway::awaitable<void> close(gateway::http::close_code code, std::string reason) override {
        closed.emplace(code, std::move(reason));
        changed_.notify_all();
        co_return;
    }
    void abort() override {
        aborted = true;
        changed_.notify_all();
    }
    std::chrono::steady_clock::time_point last_received() const override { return {}; }
    const std::string& subprotocol() const override { return subprotocol_; }

  private:
    bool is_over() const { return gone_ || aborted || closed; }
    static gateway::failure gone() { return {gateway::errc::peer_gone, "the peer is gone"}; }

    gateway::event changed_;
    std::string subprotocol_;
    std::deque<incoming> frames_;
    std::function<void(std::string_view)> on_pong_;
    bool gone_ = false;
    bool stalled_ = false;
    bool answering_ = false;
};

}  // namespace test_support
