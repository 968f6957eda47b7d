#include "kernel/zygote/child.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/confinement.hpp"
#include "kernel/sandbox/control_group.hpp"
#include "kernel/sandbox/freed_memory.hpp"
#include "kernel/sandbox/join_box.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/program.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {
namespace {

void replace_environment(const std::map<std::string, std::string>& env) {
    if (clearenv() != 0) throw box_error("clear the environment: not possible");
    for (const auto& [name, value] : env) require(setenv(name.c_str(), value.c_str(), 1), "set " + name);
}

void unblock_signals() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What changes its user is not: /proc/self would be root's. A program that is executed becomes so by itself.
void become_readable() { require(prctl(PR_SET_DUMPABLE, 1), "open /proc/self"); }

void settle(fork_order& order) {
    enter_groups(std::move(order.groups));
    close_all_but({order.init.get(), order.reports.get(), order.output.get(), order.wall.get()});
    isolation how;
    how.unprivileged = order.request.unprivileged;
    how.confined = order.request.confined;
    how.own_network = order.request.own_network;
    join_box(order.init.get(), how);
    confine(how, order.wall);
    order.wall.reset();
    become_readable();
    order.init.reset();
    use_output(order.output.release());
    begin_session(order.request.working_dir, order.reports.get());
    replace_environment(order.request.env);
    unblock_signals();
}

void tell(file_descriptor& reports, report_kind kind, const std::string& text) {
    report what;
    what.kind = kind;
    what.text = text;
    if (reports) send_report(reports.get(), what);
    reports.reset();
}

int run(forkable& program, const fork_request& request, file_descriptor& reports) {
    child_options options{request.argv, request.env, request.working_dir,
                          [&reports] { tell(reports, report_kind::kernel_runs, {}); }};
    return program.run_child(options);
}

}  // namespace

int become_kernel(forkable& program, fork_order order) {
    clear_freed_memory(false);
    try {
        settle(order);
        return run(program, order.request, order.reports);
    } catch (const std::exception& error) {
        // After bound() nobody listens any more, and the kernel's own output is the place.
        dprintf(STDERR_FILENO, "%s\n", error.what());
        tell(order.reports, report_kind::failed, error.what());
        return 1;
    }
}

}  // namespace kernel
