// A running kernel behind the Jupyter protocol: launched, connected, probed, interrupted, restarted, ended.
// Knows no session and no client. Owned by one session (or by the pool); io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/kernels/kernel_state.hpp"
#include "gateway/kernels/kernelspec.hpp"
#include "gateway/kernels/launcher.hpp"
#include "messaging/message.hpp"

namespace boost::asio {
class thread_pool;
}

namespace gateway::kernels {

// What a kernel needs to run; unchanged over restarts.
struct kernel_options {
    std::string id;  // a UUID
    kernelspec spec;
    std::map<std::string, std::string> env;  // over the allow-listed environment
    std::string working_dir = "/home/user";
    std::vector<::kernel::bind_mount> mounts;  // home, files, work roots
    std::string helper_key;                    // goes to the injected package by message only
    std::string preload_metadata = "{}";       // metadata of the injecting request besides the key
    std::string cell_defaults = "{}";          // a JSON object, more of it: for cells whose requests do not say
    ::kernel::box_limits limits = {};
    bool own_network = false;  // with a proxy as the only way out; else the machine's
};

struct kernel_limits {
    milliseconds launch_timeout{60'000};  // process start to kernel_info_reply
    int restart_limit = 5;                // consecutive deaths before "dead"
    milliseconds interrupt_wait{5'000};
    milliseconds shutdown_wait{2'500};  // shutdown_request, then kill
};

// A program to run beside a kernel.
struct program_start {
    std::vector<std::string> argv;           // never read by a shell
    std::map<std::string, std::string> env;  // over what programs of the kernel have
    std::string working_dir;                 // inside the box; a relative one is below the kernel's, an empty one is it
};

// Called in the order in which things happened; never from inside a call to kernel.
class kernel_listener {
  public:
    // Every message of the kernel but the gateway's own probes and injections, in each socket's order.
    virtual void on_message(messaging::shared_message what) = 0;
    // starting → idle when it is ready; restarting when another process takes over (after the last message of the old
    // one, before any message of the new one); dead when it is over. `reason` says why for restarting and dead.
    virtual void on_state(kernel_state state, end_reason reason) = 0;

  protected:
    ~kernel_listener() = default;
};

// What all kernels share; outlives them.
struct kernel_environment {
    executor ex;
    launcher& processes;
    std::string runtime_dir;  // sockets and connection files: RUNTIME_DIR/<first 8 of id>/…
    std::string package_dir;  // the directory that holds cellgate_kernel/, bound read only to /opt/cellgate/python
    std::string helper_socket_dir;  // bound to /run/cellgate
    std::map<std::string, std::string> inherited_env;
    std::vector<std::string> read_only_paths;  // virtual environments and the like, seen at the same path in every box
    kernel_limits limits;
    // Kernelspec directory → what a kernel of it came up over; kernels fill it.
    std::map<std::string, transport> proven_transports;
    asio::thread_pool* pool = nullptr;    // for the signatures of large messages
    std::vector<std::string> hidden{};    // directories of the gateway's own, which no box shows
    std::string empty_dir{};              // what it shows in their place
    std::vector<std::string> writable{};  // directories of the host that every session may write to
    std::vector<std::string> roots{};     // and some may, where the gateway's user could do more than they
};

class kernel {
  public:
    kernel(kernel_environment& shared, kernel_options options, kernel_listener& listener);
    ~kernel();  // kills what is left, without waiting
    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;

    // To the first kernel_info_reply, a first iopub message, and (Python) the injected package. Once.
    awaitable<result<void>> start();
    // Another listener takes over (a pool kernel that found its session).
    void set_listener(kernel_listener& listener);
    // Python kernels: makes `env` the kernel's variables in place of options.env, and `cell_defaults` what it is told
    // of cells in place of those in options, by a silent message, and keeps them for restarts (a pool kernel that found
    // its session).
    awaitable<result<void>> configure(std::map<std::string, std::string> env, std::string cell_defaults);
    // For own_network: `take` gets the listener that its programs find their proxy at, of the process that runs and of
    // each later one; and none when that has ended.
    void on_proxy_listener(std::function<void(::kernel::file_descriptor)> take);
    // What its next process may use, and if `now` the one that runs too.
    void set_limits(const ::kernel::box_limits& limits, bool now);
    // Signs and sends. Success from on_state(idle) until on_state(restarting or dead), also to a process that has just
    // ended: what it never answered is known by then. kernel_dead otherwise.
    result<void> send(const messaging::message& what);
    // SIGINT to the process group, or interrupt_request on control (and its reply) as the spec says. Success without
    // effect while a process starts or ends: nothing runs that could be interrupted.
    awaitable<result<void>> interrupt();
    // Ends the process (politely unless `kill`) and starts another, to where start() ends; concurrent calls join one
    // restart. A kernel that died is started again, one that was shut down is not (kernel_dead).
    awaitable<result<void>> restart(end_reason why, bool kill);
    // shutdown_request, bounded wait, kill; on_state(dead, why) follows. Leaves no process.
    awaitable<void> shutdown(end_reason why);

    // Starts a program in the kernel's box, which runs beside the kernel and ends with its process (not with the
    // kernel: a restart ends it). Returns an id for signal(). `on_end` as in launcher::run(). kernel_dead;
    // invalid_request says why it cannot be started.
    awaitable<result<std::string>> run(program_start what, program_files files,
                                       std::function<void(program_end)> on_end);
    // To the process group of that program, until it has ended. `sweep`: what is left in the group then is killed.
    void signal_program(const std::string& id, int number, bool sweep);

    // Another name of its kernelspec, by which its session asked for it.
    void call_spec(const std::string& name);

    const std::string& id() const;
    const kernelspec& spec() const;
    kernel_state state() const;  // starting, idle (alive and ready), restarting, dead; busy is the session's view
    end_reason reason() const;
    const std::string& failure_text() const;  // the last lines of output of a kernel that did not start
    // The kernel's own session id as its headers carry it; for synthesised messages.
    const std::string& kernel_session() const;
    const std::string& info_reply() const;       // content of the last kernel_info_reply, JSON
    const std::string& connection_file() const;  // path outside the box, mode 0600
    int restarts() const;

  private:
    struct implementation;
    std::shared_ptr<implementation> implementation_;
};

}  // namespace gateway::kernels
