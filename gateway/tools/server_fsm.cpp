#include "gateway/tools/server_fsm.hpp"

#include <algorithm>
#include <utility>

namespace gateway::tools {
namespace {

std::chrono::seconds rest(unsigned failures) {
    return std::chrono::seconds(failures > 6 ? 60 : std::min(60, 1 << (failures - 1)));
}

}  // namespace

server_action server_fsm::on_wanted(time now) {
    if (state_ == server_state::stopped) return server_action::refuse;
    if (state_ == server_state::resting && now < retry_at_) return server_action::refuse;
    if (state_ != server_state::idle && state_ != server_state::resting) return server_action::none;
    state_ = server_state::starting;
    return server_action::start;
}

void server_fsm::on_started() {
    if (state_ == server_state::starting) state_ = server_state::ready;
}

void server_fsm::on_answered() {
    if (state_ == server_state::ready) failures_ = 0;
}

server_action server_fsm::on_failed(time now, std::string why) {
    if (state_ != server_state::starting && state_ != server_state::ready) return server_action::none;
    bool was_ready = state_ == server_state::ready;
    reason_ = std::move(why);
    ++failures_;
    if (was_ready && failures_ == 1) {
        state_ = server_state::starting;
        return server_action::start;
    }
    state_ = server_state::resting;
    retry_at_ = now + rest(failures_);
    return server_action::none;
}

void server_fsm::on_stop() { state_ = server_state::stopped; }

}  // namespace gateway::tools
