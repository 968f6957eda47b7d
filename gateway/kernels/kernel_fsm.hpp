// The life of a kernel as a state machine without I/O: events in, actions out. A value, owned by one kernel.
//
//   unborn ─▶ launching ─▶ probing ─▶ injecting ─▶ running ─▶ stopping ─▶ draining ─▶ launching … or dead
//
// A process that has ended is drained (what it still sent is delivered) before anyone is told.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gateway/kernels/kernel_state.hpp"

namespace gateway::kernels {

enum class timer_kind : std::uint8_t {
    launch,    // a process was started and is not ready
    probe,     // asked, no answer yet: ask again, rarely (the sockets queue)
    nudge,     // answered, but no iopub message yet: ask again soon, for its status messages
    stable,    // ran for so long that its next death is a first one
    shutdown,  // asked to shut down
    kill,      // killed, its exit not reported yet
};
const char* to_string(timer_kind which);

enum class phase : std::uint8_t { unborn, launching, probing, injecting, running, stopping, draining, dead };
const char* to_string(phase where);

struct lifecycle_event {
    enum kind : std::uint8_t {
        start_requested,
        launched,
        launch_failed,
        probe_answered,  // a kernel_info_reply
        iopub_seen,      // any iopub message
        injected,        // the injected code was answered
        executed,        // an execute_reply to a client: the kernel works
        exited,          // the process has ended, with `status`
        drained,         // all that an ended process sent was delivered
        timer,           // `which` has expired
        restart_requested,
        shutdown_requested,
    };
    kind what;
    timer_kind which = timer_kind::launch;
    int status = 0;    // as of waitpid
    bool oom = false;  // its box had run out of memory
    end_reason why = end_reason::none;
    bool kill = false;
};

struct lifecycle_action {
    enum kind : std::uint8_t {
        launch,  // over `over`, in fresh files, on fresh ports
        connect,
        probe,  // kernel_info_request on shell and control
        inject,
        inject_missed,  // the injected code gave no answer in time: to be logged
        ask_shutdown,   // interrupt, then shutdown_request
        kill,
        drain,
        disconnect,
        start_timer,
        cancel_timer,
        tell,  // `state` and `why`, to the listener
    };
    kind what;
    timer_kind which = timer_kind::launch;
    transport over = transport::ipc;
    kernel_state state = kernel_state::starting;
    end_reason why = end_reason::none;

    bool operator==(const lifecycle_action&) const = default;
};
// "start launch timer", "launch over ipc", "tell restarting (crashed)": for logs and tests.
std::string to_string(const lifecycle_action& action);

struct lifecycle_settings {
    bool inject = false;              // a Python kernel
    std::optional<transport> fixed;   // the spec's metadata says which
    std::optional<transport> proven;  // another kernel of the spec came up over it
    int restart_limit = 5;            // consecutive deaths that are answered by another start
};

class kernel_fsm {
  public:
    using actions = std::vector<lifecycle_action>;

    explicit kernel_fsm(lifecycle_settings settings);

    actions handle(const lifecycle_event& event);

    phase where() const { return phase_; }
    kernel_state state() const { return state_; }
    end_reason reason() const { return reason_; }
    transport over() const { return transport_; }
    int restarts() const { return restarts_; }
    // Ended by a shutdown: nothing starts it again.
    bool is_final() const { return phase_ == phase::dead && final_; }
    // There is a process, or one is being started.
    bool has_process() const { return phase_ != phase::unborn && phase_ != phase::dead; }

  private:
    // What follows when the process is gone.
    enum class next_step : std::uint8_t { count_death, restart, other_transport, fail, end };

    void dispatch(const lifecycle_event& event);
    void on_unborn(const lifecycle_event& event);
    void on_launching(const lifecycle_event& event);
    void on_starting(const lifecycle_event& event);  // probing and injecting
    void on_running(const lifecycle_event& event);
    void on_stopping(const lifecycle_event& event);
    void on_draining(const lifecycle_event& event);
    void on_dead(const lifecycle_event& event);

    void launch();
    void connect();
    void answered();
    void check_alive();
    void ask_again(timer_kind which);
    void become_ready();
    void launch_expired();
    void stop(next_step next, end_reason why, bool kill);
    void kill_process();
    void gone(const lifecycle_event& exit);
    void go_on();
    void restart(end_reason why);
    void count_death();
    void die(end_reason why);

    void emit(lifecycle_action::kind what);
    void start_timer(timer_kind which);
    void cancel_timers();
    void tell(kernel_state state, end_reason why);

    lifecycle_settings settings_;
    phase phase_ = phase::unborn;
    kernel_state state_ = kernel_state::starting;
    end_reason reason_ = end_reason::none;
    transport transport_;
    next_step next_ = next_step::count_death;
    end_reason next_why_ = end_reason::none;
    bool answered_ = false;         // this process: kernel_info_reply
    bool subscribed_ = false;       // this process: an iopub message
    bool transport_works_ = false;  // some process of this kernel was alive over transport_
    bool lived_ = false;            // some process of this kernel became ready
    bool final_ = false;            // a shutdown was requested
    int deaths_ = 0;                // consecutive
    int restarts_ = 0;
    std::set<timer_kind> timers_;  // those that run
    actions out_;
};

}  // namespace gateway::kernels
