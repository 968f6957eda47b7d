#include "kernel/zygote/fork_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/freed_memory.hpp"
#include "kernel/sandbox/join_box.hpp"
#include "kernel/sandbox/syscall_filter.hpp"
#include "kernel/zygote/threads.hpp"

namespace kernel {
namespace {

file_descriptor watch_children() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    return file_descriptor(require(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK), "make a signalfd"));
}

void empty_signals(int signals) {
    signalfd_siginfo consumed;
    while (read(signals, &consumed, sizeof consumed) > 0) {
    }
}

// As waitpid() would say it; waitid() alone can look without reaping.
int status_of(const siginfo_t& info) {
    if (info.si_code == CLD_EXITED) return (info.si_status & 0xff) << 8;
    return info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

std::optional<fork_order> order_from(received_text in) {
    std::optional<zygote_order> what = decode_zygote_order(in.text);
    if (!what) return std::nullopt;
    fork_order made;
    made.request = std::get<fork_request>(std::move(*what));
    const std::size_t always = made.request.walled ? 4 : 3;
    if (in.files.size() < always) return std::nullopt;
    made.init = std::move(in.files[0]);
    made.reports = std::move(in.files[1]);
    made.output = std::move(in.files[2]);
    if (made.request.walled) made.wall = std::move(in.files[3]);
    made.groups.assign(std::make_move_iterator(in.files.begin() + always), std::make_move_iterator(in.files.end()));
    return made;
}

}  // namespace

int fork_server::run() {
    try {
        start();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    serve();
    return 0;
}

void fork_server::start() {
    fcntl(socket_.get(), F_SETFD, FD_CLOEXEC);
    program_.prepare();
    stop_library_threads();
    if (std::string reason = more_than_one_thread(); !reason.empty()) throw box_error(reason);
    syscall_filter::of_boxes();  // compiled here, for all kernels
    own_namespace_ = own_pid_namespace();
    deaths_ = watch_children();
    clear_freed_memory(true);
    tell(zygote_ready{});
}

// OpenBLAS starts threads when it is loaded, ends them when somebody forks, and starts them again when it computes:
// after a fork whose child does nothing there is one thread left, and kernels still compute with as many as they like.
void fork_server::stop_library_threads() {
    if (more_than_one_thread().empty()) return;
    pid_t pid = require(program_.fork(), "fork");
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
    // A thread that was joined may be listed for a moment more.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!more_than_one_thread().empty() && std::chrono::steady_clock::now() < deadline) sched_yield();
}

void fork_server::serve() {
    for (bool launcher = true; launcher;) {
        pollfd waited[2] = {{socket_.get(), POLLIN, 0}, {deaths_.get(), POLLIN, 0}};
        if (poll(waited, 2, -1) < 0) continue;
        empty_signals(deaths_.get());
        tell_ends();
        if (waited[0].revents != 0) launcher = receive();
    }
}

bool fork_server::receive() {
    received_text in = receive_text(socket_.get(), false);
    if (in.state == channel_state::would_block) return true;
    if (in.state != channel_state::ok) return false;
    std::optional<fork_order> order = order_from(std::move(in));
    if (order)
        handle(std::move(*order));
    else
        std::fprintf(stderr, "not a fork request\n");
    return true;
}

std::string fork_server::reason_to_refuse() {
    if (program_.stale()) return "what it has imported has changed on disk";
    return more_than_one_thread();
}

void fork_server::handle(fork_order order) {
    const std::string id = order.request.id;
    try {
        if (std::string reason = reason_to_refuse(); !reason.empty()) return refuse(id, reason, true);
        pid_t pid = fork_into_box(own_namespace_, order.init.get(), [this] { return program_.fork(); });
        if (pid == 0) _exit(become_kernel(program_, std::move(order)));
        children_.push_back(pid);
        tell(fork_done{id, pid});
    } catch (const std::exception& error) {
        refuse(id, error.what(), false);
    }
}

void fork_server::refuse(const std::string& id, const std::string& error, bool spent) {
    tell(fork_refusal{id, error, spent});
}

// Before a child is reaped, so that the launcher knows its status when it sees that the box is empty.
void fork_server::tell_ends() {
    for (;;) {
        siginfo_t info{};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        if (std::erase(children_, info.si_pid) != 0) tell(child_end{info.si_pid, status_of(info)});
        waitpid(info.si_pid, nullptr, 0);
    }
}

// A launcher that has gone is seen by the next poll.
void fork_server::tell(const zygote_reply& what) { send_text(socket_.get(), encode(what), true); }

}  // namespace kernel
