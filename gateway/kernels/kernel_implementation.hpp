// Inside of kernel: its state machine, and what carries out the machine's actions. Shared by the kernel and the
// coroutines that wait for it; all of them see closed() once the kernel is gone. io thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gateway/kernels/kernel.hpp"
#include "gateway/kernels/kernel_files.hpp"
#include "gateway/kernels/kernel_fsm.hpp"
#include "messaging/kernel_sockets.hpp"

namespace gateway::kernels {

struct kernel::implementation : std::enable_shared_from_this<kernel::implementation> {
    using self_pointer = std::shared_ptr<implementation>;

    implementation(kernel_environment& shared, kernel_options options, kernel_listener& listener);

    // kernel_events.cpp: the machine's events and actions.
    void post(lifecycle_event event);
    void feed(const lifecycle_event& event);
    void perform(const lifecycle_action& action);
    void inject();
    void ask_shutdown();
    void kill_process();
    void drain(int quiet_rounds);
    void start_timer(timer_kind which);
    void tell(kernel_state state, end_reason why);
    void describe_failure(end_reason why);
    void close();

    // kernel_launch.cpp: the process and the sockets to it.
    void begin_launch(transport over);
    static awaitable<void> launch(self_pointer self, int generation, ::kernel::launch_request what);
    void launch_answered(int generation, result<process> outcome);
    void process_exited(int generation, process_end end);
    void pass_proxy_listener();
    void connect();

    // kernel_messages.cpp: what the kernel sends.
    void take(messaging::message what);
    void learn_session(const messaging::message& what);
    void take_own(messaging::message what);
    void send_own(const messaging::message& what);

    // kernel.cpp: what callers wait for. Each keeps the implementation alive by its parameter.
    static awaitable<void> request(self_pointer self, lifecycle_event event);
    static awaitable<result<void>> ready(self_pointer self);
    static awaitable<result<messaging::message>> ask(self_pointer self, messaging::message what, milliseconds limit);
    static awaitable<result<void>> interrupt(self_pointer self);
    static awaitable<result<void>> configure(self_pointer self, std::map<std::string, std::string> env,
                                             std::string cell_defaults);
    static awaitable<void> shutdown(self_pointer self, end_reason why);
    static awaitable<result<std::string>> run(self_pointer self, program_start what, program_files files,
                                              std::function<void(program_end)> on_end);

    kernel_environment& shared;
    kernel_options options;
    kernel_listener* listener;
    kernel_fsm machine;
    std::deque<lifecycle_event> events;  // the first is being handled
    kernel_files files;
    event changed;  // something of the following did
    bool closed = false;
    int generation = 0;  // counts launches: what belongs to an older one is stale
    std::optional<process> running;
    std::optional<process_end> early_exit;  // the exit was reported before the launch
    std::optional<process_end> last_end;
    std::function<void(::kernel::file_descriptor)> take_proxy_listener;
    std::string launch_error;
    std::optional<messaging::connection_info> connection;
    std::unique_ptr<messaging::kernel_sockets> sockets;
    std::map<timer_kind, asio::steady_timer> timers;

    std::string own_session;  // of the gateway's own messages to this kernel
    std::string injection_id;
    std::size_t messages_seen = 0;
    bool iopub_was_seen = false;
    bool was_ready = false;         // this process
    bool session_is_known = false;  // of this process
    bool executed_was_told = false;
    std::map<std::string, std::optional<messaging::message>> asked;  // msg_id → reply, once it came
    std::string kernel_session;
    std::string info_reply;
    std::string failure_text;
};

}  // namespace gateway::kernels
