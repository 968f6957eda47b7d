#include "kernel/sandbox/init.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/box_network.hpp"
#include "kernel/sandbox/confinement.hpp"
#include "kernel/sandbox/file_wall.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/program.hpp"
#include "kernel/sandbox/relay.hpp"
#include "kernel/sandbox/report.hpp"
#include "kernel/sandbox/root.hpp"

namespace kernel {
namespace {

// A launcher that died before this line is seen later: its end of the socket is closed.
void die_with_launcher() { require(prctl(PR_SET_PDEATHSIG, SIGKILL), "tie init to the launcher"); }

void become_init(int report_socket, int output, const box_user* user) {
    die_with_launcher();
    prctl(PR_SET_NAME, "cellgate-init");
    std::vector<int> needed = {report_socket, output};
    if (user) user->add_descriptors(needed);
    close_all_but(std::move(needed));
    block_signals();
    signal(SIGINT, SIG_IGN);
}

[[noreturn]] void run_kernel(const launch_request& what, const file_descriptor& wall, int report_socket, int failures) {
    try {
        stay_behind(wall);  // a layer of its own: init is behind another, and out of reach
        run_program(what, report_socket);
    } catch (const std::exception& error) {
        std::string text = error.what();
        if (write(failures, text.data(), text.size()) < 0) _exit(126);
    }
    _exit(127);
}

// What the kernel's process wrote before it gave up; nothing when its program was executed (which closes the pipe).
std::string read_all(int pipe) {
    std::string text;
    char buffer[1024];
    for (;;) {
        ssize_t size = read(pipe, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return text;
        text.append(buffer, size);
    }
}

// Nothing that runs in the box has more rights than its code may have, init included.
void give_up_rights(const isolation& how, const box_user* user, const file_descriptor& wall, int report_socket) {
    if (user) enter_user_namespace(*user);
    confine(how, wall);
    die_with_launcher();  // forgotten with the rights
    close_all_but({report_socket, wall.get()});
}

// For init itself, and told to the launcher for all that will join the box.
file_descriptor make_wall(const launch_request& what, const isolation& how, int report_socket) {
    file_descriptor made;
    if (how.confined) made = make_file_wall(what.mounts, STDOUT_FILENO);
    report told;
    told.kind = report_kind::wall;
    if (made) send_report(report_socket, told, made);
    return made;
}

void hand_over_network(int report_socket) {
    report made;
    made.kind = report_kind::network_made;
    send_report(report_socket, made, open_network());
}

pid_t start_kernel(const launch_request& what, const file_descriptor& wall, int report_socket) {
    int ends[2];
    require(pipe2(ends, O_CLOEXEC), "make a pipe");
    file_descriptor failures(ends[0]);
    file_descriptor writing(ends[1]);
    pid_t pid = require(fork(), "fork the kernel");
    if (pid == 0) run_kernel(what, wall, report_socket, writing.get());
    writing.reset();
    std::string failed = read_all(failures.get());
    if (!failed.empty()) throw box_error(failed);
    return pid;
}

// Returns the kernel's status as soon as it has ended.
int reap(pid_t kernel, bool& ended) {
    int status = 0;
    for (;;) {
        int each = 0;
        pid_t pid = waitpid(-1, &each, WNOHANG);
        if (pid <= 0) return status;
        if (pid != kernel) continue;
        ended = true;
        status = each;
    }
}

void send_signal(pid_t kernel, int number, int report_socket) {
    if (kernel > 0) kill(-kernel, number);
    report done;
    done.kind = report_kind::signal_sent;
    try_send_report(report_socket, done);
}

void obey(pid_t& kernel, int report_socket) {
    while (std::optional<report> order = receive_report(report_socket)) {
        if (order->kind == report_kind::kernel_is) kernel = order->value;
        if (order->kind == report_kind::send_signal) send_signal(kernel, order->value, report_socket);
    }
}

// Until the kernel ends (its status), or the launcher has gone (nothing to tell anybody). 0 for a kernel that a zygote
// will fork: it is no child of init, and the launcher ends init after it.
int watch(pid_t kernel, int report_socket) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    file_descriptor deaths(require(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK), "make a signalfd"));
    for (;;) {
        bool ended = false;
        int status = reap(kernel, ended);
        if (ended) return status;
        pollfd waited[2] = {{deaths.get(), POLLIN, 0}, {report_socket, POLLIN, 0}};
        if (poll(waited, 2, -1) < 0) continue;
        signalfd_siginfo consumed;
        while (read(deaths.get(), &consumed, sizeof consumed) > 0) {
        }
        obey(kernel, report_socket);
        if ((waited[1].revents & (POLLHUP | POLLERR)) != 0) _exit(0);
    }
}

}  // namespace

void run_init(const launch_request& what, const isolation& how, const box_user* user, int report_socket, int output) {
    report last;
    try {
        become_init(report_socket, output, user);
        if (how.unprivileged) map_box_user(how);
        enter_control_namespace();
        if (how.own_network) hand_over_network(report_socket);
        set_hostname(what.hostname);
        assemble_root(how, what.hostname, what.mounts, root_of::box, user);
        if (user) user->give(output);
        use_output(output);
        file_descriptor wall = make_wall(what, how, report_socket);
        give_up_rights(how, user, wall, report_socket);
        pid_t kernel = what.zygote ? 0 : start_kernel(what, wall, report_socket);
        wall.reset();
        if (!what.relays.empty()) start_relay(what.relays);
        report ready;
        ready.kind = what.zygote ? report_kind::assembled : report_kind::kernel_runs;
        send_report(report_socket, ready);
        last.value = watch(kernel, report_socket);
        last.kind = report_kind::kernel_ended;
    } catch (const std::exception& error) {
        last.kind = report_kind::failed;
        last.text = error.what();
    }
    send_report(report_socket, last);
    _exit(0);
}

}  // namespace kernel
