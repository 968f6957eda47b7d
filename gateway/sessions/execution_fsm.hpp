// The life of execute_requests on a kernel's main shell, as a state machine without I/O: events in with the time,
// actions out. Decides when an agent's cell may go to the kernel, which cell is running, when its deadline interrupts
// or kills, and how each one ends. Owned by one session; io thread.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

using tick = std::chrono::steady_clock::time_point;

// One execute_request, named by its msg_id.
struct execution {
    std::string msg_id;
    origin sent_by = origin::agent;
    bool silent = false;                   // no execute_input will come: it begins when it is busy
    std::optional<milliseconds> deadline;  // of running time; none: it may run for ever
    bool held = false;                     // an agent's: waits in the queue for release() too
};

namespace action {
struct send {
    std::string msg_id;
};  // an agent's cell, to the kernel
struct began {
    std::string msg_id;
};  // it is running
struct ended {
    std::string msg_id;
    cell_status status;
    cell_reason reason;
    bool kernel_restarted;
};
struct interrupt {};
struct kill {};  // the deadline passed and the grace too: restart the kernel
}  // namespace action

using execution_action = std::variant<action::send, action::began, action::ended, action::interrupt, action::kill>;
using execution_actions = std::vector<execution_action>;

class execution_fsm {
  public:
    explicit execution_fsm(milliseconds grace) : grace_(grace) {}

    // Requests.
    execution_actions submit(execution what);              // an agent's: queued here until the main shell is free
    execution_actions release(const std::string& msg_id);  // one that is held
    execution_actions forward(execution what);             // a Jupyter client's: already on its way to the kernel
    execution_actions cancel(const std::string& msg_id);   // queued: never starts; sent or running: interrupted
    execution_actions interrupt();                         // by a user: whatever runs

    // action::send was done. An agent's cell goes to a kernel that is free, so its clock starts here: a cell that holds
    // Python's lock at once, or a kernel that is stopped, never says `busy`.
    void was_sent(const std::string& msg_id, tick now);

    // What the kernel says, by the parent's msg_id. Parents that are no request of ours only tell that it is at work.
    execution_actions busy(const std::string& parent, tick now);
    execution_actions input_echoed(const std::string& parent);  // execute_input
    execution_actions replied(const std::string& parent, const std::string& status, const std::string& ename, tick now);
    execution_actions idle(const std::string& parent, tick now);
    void debugger_stopped(tick now);  // deadlines stand still
    void debugger_continued(tick now);

    // The kernel's life.
    execution_actions kernel_ready();
    // Its process ended: all that was sent or queued ends here. `why` is deadline after action::kill.
    execution_actions kernel_ended(cell_reason why, bool restarts);

    // The timer: when to call on_time() next; none when nothing is due.
    std::optional<tick> next_wakeup() const;
    execution_actions on_time(tick now);

    bool is_running(const std::string& msg_id) const;
    bool is_waiting(const std::string& msg_id) const;  // queued here, or sent and not begun
    bool has_outstanding() const { return !outstanding_.empty(); }
    std::size_t queued() const { return queue_.size(); }

  private:
    enum class interrupted_by { nobody, deadline, caller };
    struct sent {
        execution what;
        bool is_busy = false;
        bool has_begun = false;
        bool has_reply = false;
        bool is_idle = false;
        bool cancel_when_busy = false;
        std::string status;
        std::string ename;
        interrupted_by interrupt = interrupted_by::nobody;
        bool clock_runs = false;            // from was_sent() or busy() on
        std::optional<tick> running_since;  // none while something else has the kernel, or the debugger has stopped it
        milliseconds ran{0};                // before running_since
        std::optional<tick> kill_at;
        std::optional<tick> give_up_at;  // one of reply and idle came, and the other should have long ago
        bool kill_asked = false;
        int aborted_times = 0;
    };

    sent* find(const std::string& msg_id);
    const sent* find(const std::string& msg_id) const;
    std::optional<tick> deadline_of(const sent& which) const;
    void begin(sent& which, execution_actions& out);
    void hold_clocks();
    void start_clocks(tick now);
    void finish(const std::string& msg_id, execution_actions& out);
    void finish_all_before(const std::string& msg_id, execution_actions& out);
    void check_time(sent& which, tick now, execution_actions& out);
    void pump(execution_actions& out);

    milliseconds grace_;
    bool ready_ = false;
    bool stopped_ = false;
    std::set<std::string> others_;  // parents of the kernel's other work, until the next cell of ours is busy
    std::deque<sent> outstanding_;  // in the order in which the kernel gets them
    std::deque<sent> queue_;        // agents' cells that wait here
};

}  // namespace gateway::sessions
