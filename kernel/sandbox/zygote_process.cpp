#include "kernel/sandbox/zygote_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "kernel/launcher/zygote_protocol.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/capabilities.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/program.hpp"
#include "kernel/sandbox/root.hpp"

namespace kernel {
namespace {

// What a person's programs expect, and nothing of whoever started the gateway: a kernel gets its own.
const std::map<std::string, std::string> environment = {
    {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"HOME", "/home/user"}, {"USER", "user"}};

void keep_socket(int socket) {
    if (socket == zygote_socket)
        require(fcntl(socket, F_SETFD, 0), "keep the zygote's socket");
    else
        require(dup2(socket, zygote_socket), "place the zygote's socket");
    close_all_but({zygote_socket});
}

// Root that has given up its capabilities reads what others own only as they show it to everybody: so it is shown what
// it mounts as its own, as a kernel is in its box.
std::unique_ptr<box_user> reader_for(const std::vector<bind_mount>& mounts, const isolation& how) {
    if (!how.users_of_its_own()) return nullptr;
    auto made = std::make_unique<box_user>(0);
    made->prepare(mounts);
    return made;
}

[[noreturn]] void start(const zygote_command& what, const isolation& how, int socket, int output) {
    use_output(output);
    close_all_but({socket});
    // A launcher that died before this line is seen later: its end of the socket is closed.
    require(prctl(PR_SET_PDEATHSIG, SIGKILL), "tie the zygote to the launcher");
    // What it starts meanwhile can then be ended with it.
    require(setsid(), "start a session");
    const std::unique_ptr<box_user> reader = reader_for(what.mounts, how);
    assemble_root(how, "cellgate", what.mounts, root_of::zygote, reader.get());
    keep_socket(socket);
    require(chdir("/home/user"), "enter /home/user");
    umask(022);
    set_limits();
    reset_signals();
    if (how.confined)
        keep_only_joining();
    else if (how.unprivileged)
        pass_on_capabilities();
    execute(what.argv, environment);
}

}  // namespace

void run_zygote(const zygote_command& what, const isolation& how, int socket, int output) {
    try {
        start(what, how, socket, output);
    } catch (const std::exception& error) {
        dprintf(STDERR_FILENO, "%s\n", error.what());
    }
    _exit(126);
}

}  // namespace kernel
