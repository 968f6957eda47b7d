// cellgate-launcher [FIRST COUNT]: makes the boxes that kernels live in. The gateway starts it with a SOCK_SEQPACKET
// socket as descriptor 3 (protocol.hpp) and ends it by closing the other end. FIRST and COUNT: user ids for root's
// boxes.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "kernel/launcher/service.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/freed_memory.hpp"
#include "kernel/sandbox/namespaces.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/syscall_filter.hpp"

namespace {

constexpr int gateway_socket = 3;

bool is_socket(int number) {
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

// The gateway ends its kernels in order; a Ctrl-C at its terminal or a service manager that signals the whole group
// must not end this process before that.
void outlive_signals() {
    setsid();
    for (int number : {SIGINT, SIGHUP, SIGTERM, SIGPIPE}) signal(number, SIG_IGN);
}

// Descriptors 0 to 2 must be taken, or a socket would get such a number.
void fill_standard_descriptors() {
    while (true) {
        int number = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (number > 2) close(number);
        if (number < 0 || number > 2) return;
    }
}

// Kernels that were forked from a zygote outlive it; whose children they then are learns how they end.
void adopt_orphans() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
}

// Boxes can be made without, if the machine allows that at all; a zygote will say what it lacks.
void prepare_for_zygotes(const kernel::isolation& how) {
    if (!how.unprivileged) return;
    try {
        kernel::enter_user_namespace(how);
    } catch (const kernel::box_error& error) {
        std::fprintf(stderr, "cellgate-launcher: no zygotes: %s\n", error.what());
    }
}

kernel::id_range ids_of(int argc, char** argv) {
    kernel::id_range given;
    if (argc < 3) return given;
    return {static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)),
            static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10))};
}

// Of root's: what runs in a box could not give them back.
void leave_groups(const kernel::isolation& how) {
    if (!how.unprivileged && setgroups(0, nullptr) != 0) std::perror("cellgate-launcher: leave groups");
}

// Compiled once, for all boxes; one that cannot be made is told of by each.
void prepare_filter() {
    try {
        kernel::syscall_filter::of_boxes();
    } catch (const kernel::box_error& error) {
        std::fprintf(stderr, "cellgate-launcher: %s\n", error.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (!is_socket(gateway_socket)) {
        std::fprintf(stderr,
                     "cellgate-launcher: started by hand: it is a part of the gateway, start cellgate instead\n");
        return 2;
    }
    fill_standard_descriptors();
    kernel::close_all_but({gateway_socket});
    fcntl(gateway_socket, F_SETFD, FD_CLOEXEC);
    kernel::clear_freed_memory(true);
    kernel::reset_signals();
    kernel::raise_file_limit();
    outlive_signals();
    adopt_orphans();
    kernel::isolation how = kernel::possible_isolation();
    leave_groups(how);
    prepare_for_zygotes(how);
    prepare_filter();
    kernel::service(gateway_socket, how, ids_of(argc, argv)).run();
    return 0;
}
