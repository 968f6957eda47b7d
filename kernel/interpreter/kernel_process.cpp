#include "kernel/interpreter/kernel_process.hpp"

#include <fcntl.h>
#include <pybind11/pybind11.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "kernel/interpreter/python_answers.hpp"
#include "kernel/interpreter/python_text.hpp"
#include "kernel/interpreter/replies.hpp"

namespace kernel {
namespace {

namespace py = pybind11;

kernel_process* the_kernel = nullptr;
thread_local shell* shell_here = nullptr;

// How long a cell that does not react to its interrupt may keep a kernel from ending.
constexpr auto shutdown_patience = std::chrono::seconds(2);

server_settings settings_for(const std::string& session) {
    server_settings settings;
    settings.session = session;
    // A kernel in a small box may want to hold less output.
    if (const char* given = std::getenv("CELLGATE_KERNEL_UNSENT_LIMIT"))
        if (auto bytes = std::strtoull(given, nullptr, 10); bytes > 0) settings.unsent_limit = bytes;
    return settings;
}

std::unique_ptr<kernel_server> bound_server(const messaging::connection_info& where, const std::string& session) {
    auto bound = kernel_server::bind(where, settings_for(session));
    if (!bound) throw std::runtime_error("cannot bind the kernel's sockets: " + bound.error().message());
    return std::move(*bound);
}

py::object borrowed(void* object) { return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(object)); }

}  // namespace

kernel_process* kernel_process::current() { return the_kernel; }

kernel_process::kernel_process(const messaging::connection_info& where)
    : session_(messaging::make_id()),
      server_(bound_server(where, session_)),
      inputs_(*server_, session_),
      control_(*this) {
    the_kernel = this;
}

kernel_process::~kernel_process() {
    control_.stop();
    stop_server();
    if (errors_) dup2(errors_.get(), STDERR_FILENO);  // for whoever says why it ended
    the_kernel = nullptr;
}

int kernel_process::run(const std::function<void()>& bound) {
    server_->start(*this);
    server_->publish(make_publication("{}", "status", session_, R"({"execution_state":"starting"})"));
    control_.start();
    bound();
    try {
        redirect_output();
        make_kernel_object();
        borrowed(kernel_object_).attr("run")(shells_.main());
    } catch (py::error_already_set& error) {
        throw std::runtime_error(std::string("the kernel's Python side failed: ") + error.what());
    }
    finish();
    return 0;
}

void kernel_process::make_kernel_object() {
    auto core = py::module_::import("_cellgate");
    auto made = py::module_::import("cellgate_shell.kernel").attr("Kernel")(core);
    auto info = text_of(made.attr("info")());
    kernel_object_ = made.release().ptr();
    std::lock_guard lock(info_mutex_);
    info_ = std::move(info);
    info_known_.notify_all();
}

// Programs that a cell starts, and C code, write to descriptors 1 and 2: that is output of the cell. What the C library
// or Python say about a crash goes where the process's errors went before.
void kernel_process::redirect_output() {
    errors_.reset(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    if (errors_) py::module_::import("faulthandler").attr("enable")(errors_.get());
    constexpr std::pair<int, output_stream> streams[] = {{STDOUT_FILENO, output_stream::out},
                                                         {STDERR_FILENO, output_stream::err}};
    for (const auto& [number, which] : streams) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe for output");
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer stalls; not granted to everyone
        if (dup2(ends[1], number) < 0) throw std::runtime_error("cannot redirect output");
        close(ends[1]);
        server_->capture(ends[0], which);
    }
}

bool kernel_process::dispatch(shell& which) {
    auto request = which.queue.take();
    if (!request) return false;
    if (!which.dispatcher) {
        which.thread = PyThread_get_thread_ident();
        which.who = std::make_unique<python_answers>(*this, &which);
        which.dispatcher = std::make_unique<request_dispatcher>(*server_, *which.who, which.queue, session_);
    }
    shell_here = &which;
    which.request = &*request;
    which.interrupted = false;
    which.executing = true;
    which.dispatcher->handle(*request);
    which.executing = false;
    which.request = nullptr;
    return true;
}

shell& kernel_process::shell_of_thread() { return shell_here ? *shell_here : *shells_.main(); }

std::string kernel_process::info() {
    std::unique_lock lock(info_mutex_);
    info_known_.wait(lock, [this] { return !info_.empty(); });
    return info_;
}

void kernel_process::on_request(messaging::message what) {
    if (what.where == messaging::channel::control) return control_.put(std::move(what));
    auto header = messaging::parse_header(what.header);
    // Where clients of protocols before 5.4 send it.
    if (header && header->msg_type == "shutdown_request") return control_.put(std::move(what));
    auto target = header ? shells_.find(header->subshell_id) : nullptr;
    if (!target) return refuse_unknown_subshell(what);
    target->queue.put(std::move(what));
}

void kernel_process::refuse_unknown_subshell(const messaging::message& request) {
    auto header = messaging::parse_header(request.header);
    if (!header) return;
    answer_at_once(request, error_content("KeyError", "there is no subshell \"" + header->subshell_id +
                                                          "\": it was deleted, or never made"));
}

// Comm messages have no reply.
void kernel_process::answer_at_once(const messaging::message& request, const std::string& content) {
    auto header = messaging::parse_header(request.header);
    if (!header) return;
    server_->publish(make_status(request, session_, "busy"));
    if (header->msg_type.ends_with("_request"))
        server_->send(make_reply(request, reply_type(header->msg_type), session_, content));
    server_->publish(make_status(request, session_, "idle"));
}

void kernel_process::on_input_reply(messaging::message what) { inputs_.deliver(what); }

bool kernel_process::interrupt(const std::string& shell_id) {
    auto which = shells_.find(shell_id);
    if (!which) return false;
    if (!which->executing) return true;
    if (shell_id.empty())
        interrupt_main();
    else
        interrupt_subshell(which);
    return true;
}

// As a terminal does it: the programs that the cell started are interrupted too. A kernel that shares its group with
// others must leave them alone.
void kernel_process::interrupt_main() {
    if (getpgrp() == getpid())
        killpg(getpid(), SIGINT);
    else
        kill(getpid(), SIGINT);
    inputs_.wake();  // a signal that comes just before a wait does not end it
}

// Python runs signal handlers on the main thread alone: other threads get their exception by hand. Once: a wait of ours
// raises it by itself, and a second one would end what is to go on afterwards.
void kernel_process::interrupt_subshell(const shell_pointer& which) {
    which->interrupted = true;
    inputs_.wake();
    worker_.post([this, which] {
        if (!which->executing || !kernel_object_ || which->waiting || !which->interrupted.exchange(false)) return;
        PyThreadState_SetAsyncExc(which->thread, PyExc_KeyboardInterrupt);
        try {
            borrowed(kernel_object_).attr("interrupt")(which->id);
        } catch (py::error_already_set& error) {
            error.discard_as_unraisable("interrupt");
        }
    });
}

std::string kernel_process::add_subshell() {
    auto made = shells_.add();
    info();  // Python is there
    worker_.post([this, made] {
        try {
            auto arguments = py::make_tuple(made);
            auto thread = py::module_::import("threading").attr("Thread");
            using namespace py::literals;
            thread("target"_a = borrowed(kernel_object_).attr("run"), "args"_a = arguments, "daemon"_a = true,
                   "name"_a = "subshell-" + made->id.substr(0, 8))
                .attr("start")();
        } catch (py::error_already_set& error) {
            error.discard_as_unraisable("subshell");
        }
    });
    return made->id;
}

bool kernel_process::remove_subshell(const std::string& id) {
    auto removed = shells_.remove(id);
    if (!removed) return false;
    for (const auto& each : removed->queue.close_and_take()) answer_at_once(each, aborted_content());
    return true;
}

void kernel_process::answer_with_python(messaging::message request) {
    info();
    worker_.post([this, request = std::make_shared<messaging::message>(std::move(request))] {
        thread_local shell_queue nothing_waits;
        thread_local python_answers who(*this, nullptr);
        thread_local request_dispatcher dispatcher(*server_, who, nothing_waits, session_);
        dispatcher.handle(*request);
    });
}

void kernel_process::ask_to_end(bool restart) {
    restart_ = restart;
    is_to_end_ = true;
}

void kernel_process::end() {
    shells_.close_all();
    interrupt("");
    // A cell that holds on to its kernel does not hold the process: the client asked for its end.
    std::thread([this] {
        std::this_thread::sleep_for(shutdown_patience);
        stop_server();
        _exit(0);
    }).detach();
}

void kernel_process::stop_server() {
    std::call_once(stopped_, [this] {
        server_->drain_captured();
        server_->stop();
    });
}

void kernel_process::finish() {
    try {
        borrowed(kernel_object_).attr("shutdown")(restart_.load());
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable("shutdown");
    }
    py::gil_scoped_release unlocked;
    stop_server();
}

}  // namespace kernel
