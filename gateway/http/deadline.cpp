#include "gateway/http/deadline.hpp"

namespace gateway::http {

struct deadline::state {
    state(executor ex, std::function<void()> expire) : timer(std::move(ex)), expire(std::move(expire)) {}
    asio::steady_timer timer;
    std::function<void()> expire;
    std::uint64_t round = 0;  // an expiry that was already queued when its round ended is none
    bool expired = false;
};

deadline::deadline(executor ex, std::function<void()> expire)
    : state_(std::make_shared<state>(std::move(ex), std::move(expire))) {}

deadline::~deadline() { stop(); }

void deadline::start(milliseconds limit) {
    auto round = ++state_->round;
    state_->expired = false;
    state_->timer.expires_after(limit);
    state_->timer.async_wait([state = state_, round](boost::system::error_code ec) {
        if (ec || state->round != round) return;
        state->expired = true;
        state->expire();
    });
}

void deadline::stop() {
    ++state_->round;
    state_->timer.cancel();
}

bool deadline::expired() const { return state_->expired; }

}  // namespace gateway::http
