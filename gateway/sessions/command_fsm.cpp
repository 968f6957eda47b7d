#include "gateway/sessions/command_fsm.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

namespace gateway::sessions {
namespace {

bool asks_to_end(int number) {
    constexpr std::array all{SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM};
    return std::find(all.begin(), all.end(), number) != all.end();
}

}  // namespace

command_fsm::command_fsm(command_limits limits, milliseconds timeout, time_point started) : limits_(limits) {
    if (timeout.count() > 0) wakeup_ = started + timeout;
}

command_fsm::actions command_fsm::exited(int status, bool box_ended, time_point now) {
    if (!has_process()) return {};
    status_ = status;
    state_ = box_ended ? state::lost : state::draining;
    wakeup_ = now + (box_ended ? limits_.loss : limits_.drain);
    if (!box_ended && out_ended_ && err_ended_) return end();
    return {};
}

command_fsm::actions command_fsm::at_end_of(command_stream which) {
    (which == command_stream::out ? out_ended_ : err_ended_) = true;
    if (state_ == state::draining && out_ended_ && err_ended_) return end();
    return {};
}

command_fsm::actions command_fsm::asked_to_signal(int number) {
    if (!has_process()) return {};
    asked_to_end_ = asked_to_end_ || asks_to_end(number);
    return {command_signal{number, false}};
}

command_fsm::actions command_fsm::kernel_ended(cell_reason why) {
    if (has_ended()) return {};
    // What had ended by itself stays so, though its output is cut.
    if (state_ == state::draining) return end();
    command_outcome lost;
    lost.status = cell_status::lost;
    lost.reason = why;
    return end_as(std::move(lost));
}

command_fsm::actions command_fsm::on_time(time_point now) {
    if (has_ended() || !wakeup_ || now < *wakeup_) return {};
    switch (state_) {
        case state::running:
            overdue_ = true;
            state_ = state::terminating;
            wakeup_ = now + limits_.grace;
            return {command_signal{SIGTERM, true}};
        case state::terminating:
            state_ = state::killing;
            wakeup_ = now + limits_.death;
            return {command_signal{SIGKILL, true}};
        case state::lost:
            return kernel_ended(cell_reason::crashed);
        case state::killing:
        case state::draining:
        case state::ended:
            break;
    }
    return end();
}

command_fsm::actions command_fsm::end() {
    command_outcome what;
    if (status_ && WIFEXITED(*status_)) what.exit_code = WEXITSTATUS(*status_);
    if (status_ && WIFSIGNALED(*status_)) what.signal = WTERMSIG(*status_);
    if (!out_ended_) what.left_open.push_back(command_stream::out);
    if (!err_ended_) what.left_open.push_back(command_stream::err);
    if (overdue_) {
        what.status = cell_status::timeout;
        what.reason = cell_reason::deadline;
    } else if (what.exit_code != 0) {
        what.status = asked_to_end_ ? cell_status::interrupted : cell_status::error;
    }
    return end_as(std::move(what));
}

command_fsm::actions command_fsm::end_as(command_outcome what) {
    state_ = state::ended;
    wakeup_.reset();
    return {std::move(what)};
}

}  // namespace gateway::sessions
