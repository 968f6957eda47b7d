#include "kernel/sandbox/guest.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/confinement.hpp"
#include "kernel/sandbox/join_box.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/program.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {
namespace {

[[noreturn]] void give_up(int reports, const std::exception& why) {
    report last;
    last.text = why.what();
    try_send_report(reports, last);
    _exit(127);
}

[[noreturn]] void become_guest(const run_request& what, int init, const isolation& how, const file_descriptor& wall,
                               const standard_files& files, int reports) {
    try {
        join_box(init, how);
        for (int each = 0; each < 3; ++each) require(dup2(files[each].get(), each), "redirect the standard files");
        close_all_but({reports, wall.get()});
        confine(how, wall);
        begin_session(what.working_dir, reports);
        reset_signals();
        find_and_execute(what.argv, what.env);
    } catch (const std::exception& error) {
        give_up(reports, error);
    }
}

void fork_guest(const run_request& what, int init, const isolation& how, const file_descriptor& wall,
                const standard_files& files, int reports) {
    require(setns(init, CLONE_NEWPID), "join the box's pid namespace");
    if (require(fork(), "fork the program") == 0) become_guest(what, init, how, wall, files, reports);
}

}  // namespace

file_descriptor start_guest(const run_request& what, int init, const isolation& how, const box_user* user,
                            const file_descriptor& wall, const standard_files& files,
                            const std::function<void()>& in_child) {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "make a socket");
    file_descriptor reports(ends[0]);
    file_descriptor theirs(ends[1]);
    int on = 1;
    require(setsockopt(reports.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on), "ask for credentials");
    if (require(fork(), "fork the program") > 0) return reports;
    try {
        close_all_but({init, theirs.get(), wall.get(), files[0].get(), files[1].get(), files[2].get()});
        in_child();
        if (user)
            for (const file_descriptor& each : files) user->give(each.get());
        fork_guest(what, init, how, wall, files, theirs.get());
    } catch (const std::exception& error) {
        give_up(theirs.get(), error);
    }
    _exit(0);
}

}  // namespace kernel
