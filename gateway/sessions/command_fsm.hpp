// How a command ends: events in, actions out, no I/O. Owned by its running_command.
//
// running ─ exited ─▶ draining ─ both pipes at their end, or 1 s ─▶ ended
//    └─ deadline ─▶ terminating (SIGTERM) ─ grace ─▶ killing (SIGKILL) ─ exited, or 5 s ─▶ draining, ended
// It ends at once with the kernel, from any state. After `ended` nothing more is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "gateway/sessions/command.hpp"

namespace gateway::sessions {

// To the process group; `sweep`: what is left in it, when the main process ends, is killed.
struct command_signal {
    int number = 0;
    bool sweep = false;

    bool operator==(const command_signal&) const = default;
};

struct command_outcome {
    cell_status status = cell_status::ok;
    cell_reason reason = cell_reason::none;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::vector<command_stream> left_open;

    bool operator==(const command_outcome&) const = default;
};

class command_fsm {
  public:
    using time_point = std::chrono::steady_clock::time_point;
    using action = std::variant<command_signal, command_outcome>;
    using actions = std::vector<action>;

    command_fsm(command_limits limits, milliseconds timeout, time_point started);  // timeout 0: none

    // The main process, with waitpid's status; `box_ended`: because its box did, and kernel_ended() will follow.
    actions exited(int status, bool box_ended, time_point now);
    actions at_end_of(command_stream which);
    // By a client. None when the process has ended.
    actions asked_to_signal(int number);
    actions kernel_ended(cell_reason why);
    actions on_time(time_point now);
    std::optional<time_point> next_wakeup() const { return state_ == state::ended ? std::nullopt : wakeup_; }

    bool has_process() const { return state_ < state::draining; }
    bool has_ended() const { return state_ == state::ended; }

  private:
    enum class state : std::uint8_t { running, terminating, killing, draining, lost, ended };

    actions end();
    actions end_as(command_outcome what);

    command_limits limits_;
    state state_ = state::running;
    std::optional<time_point> wakeup_;
    std::optional<int> status_;
    bool overdue_ = false;
    bool asked_to_end_ = false;
    bool out_ended_ = false;
    bool err_ended_ = false;
};

}  // namespace gateway::sessions
