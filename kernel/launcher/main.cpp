// cellgate-launcher ISOLATION FIRST COUNT [check DIRECTORY…]: makes the boxes that kernels live in. The gateway starts
// it with a SOCK_SEQPACKET socket as descriptor 3 (protocol.hpp) and ends it by closing the other end. ISOLATION:
// "full", or "none" for boxes that are not confined; FIRST and COUNT: user ids for root's boxes. With "check" it only
// finds out whether boxes can be made, with these directories in them.
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"
#include "kernel/launcher/machine_check.hpp"
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

struct settings {
    bool confined = true;
    kernel::id_range ids;
    bool check = false;
    std::vector<std::string> directories{};
};

settings read_arguments(int argc, char** argv) {
    settings read;
    if (argc > 1) read.confined = std::string_view(argv[1]) != "none";
    if (argc < 4) return read;
    read.ids = {static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)),
                static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10))};
    read.check = argc > 4 && std::string_view(argv[4]) == "check";
    if (read.check) read.directories.assign(argv + 5, argv + argc);
    return read;
}

void tell_findings(const kernel::isolation& how, const settings& given) {
    for (const kernel::finding& each : kernel::check_machine(how, given.ids, given.directories))
        kernel::send_text(gateway_socket, kernel::encode(each), true);
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
    const settings given = read_arguments(argc, argv);
    const kernel::isolation how = kernel::possible_isolation(given.confined);
    leave_groups(how);
    prepare_for_zygotes(how);
    prepare_filter();
    if (!given.check)
        kernel::service(gateway_socket, how, given.ids).run();
    else
        tell_findings(how, given);
    return 0;
}
