// One running kernel: its server, shells, control thread and Python side, from the bound sockets to the end. Made on
// the main thread, which holds the interpreter's lock; one a process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kernel/interpreter/control_thread.hpp"
#include "kernel/interpreter/input_requests.hpp"
#include "kernel/interpreter/python_worker.hpp"
#include "kernel/interpreter/shells.hpp"
#include "kernel/server/kernel_server.hpp"

namespace kernel {

class kernel_process final : public request_sink {
  public:
    // Binds. Throws std::runtime_error when that fails.
    explicit kernel_process(const messaging::connection_info& where);
    ~kernel_process();
    kernel_process(const kernel_process&) = delete;
    kernel_process& operator=(const kernel_process&) = delete;

    // Serves until a shutdown_request, or until its parent has gone; the process's exit status. `bound` is called once
    // requests are read.
    int run(const std::function<void()>& bound);

    // The kernel of this process; null before and after it.
    static kernel_process* current();

    kernel_server& server() { return *server_; }
    const std::string& session() const { return session_; }
    shell_table& shells() { return shells_; }
    input_requests& inputs() { return inputs_; }
    // Python's kernel object is `kernel_object()` (a PyObject*), once it was made.
    void* kernel_object() const { return kernel_object_; }

    // Handles one request of a shell on its own thread, with the interpreter's lock; false when none waits.
    bool dispatch(shell& which);
    // The shell that the calling thread serves, else the main one.
    shell& shell_of_thread();

    // ---- any thread
    // kernel_info_reply's content; waits until Python has given it.
    std::string info();
    // Of what the shell executes; without effect when it executes nothing. "" is the main shell. False: no such shell.
    bool interrupt(const std::string& shell_id);
    std::string add_subshell();
    // What waited in it is answered as aborted. False when there is none of this id.
    bool remove_subshell(const std::string& id);
    // What needs Python, on a thread that may wait for the interpreter's lock.
    void answer_with_python(messaging::message request);
    // Asks for the kernel's end; end() brings it about, once the answer has been sent.
    void ask_to_end(bool restart);
    bool is_to_end() const { return is_to_end_; }
    void end();

    void on_request(messaging::message what) override;
    void on_input_reply(messaging::message what) override;

  private:
    void make_kernel_object();
    void redirect_output();
    void interrupt_main();
    void interrupt_subshell(const shell_pointer& which);
    void refuse_unknown_subshell(const messaging::message& request);
    void answer_at_once(const messaging::message& request, const std::string& content);
    void finish();
    void stop_server();

    std::string session_;
    std::unique_ptr<kernel_server> server_;
    shell_table shells_;
    input_requests inputs_;
    python_worker worker_;
    control_thread control_;
    void* kernel_object_ = nullptr;
    file_descriptor errors_;  // where descriptor 2 led before
    std::mutex info_mutex_;
    std::condition_variable info_known_;
    std::string info_;
    std::atomic<bool> restart_{false};
    std::atomic<bool> is_to_end_{false};
    std::once_flag stopped_;
};

}  // namespace kernel
