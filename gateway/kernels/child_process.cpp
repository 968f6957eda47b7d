#include "gateway/kernels/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

namespace gateway::kernels {
namespace {

// posix_spawn's two lists, released at the end of the scope.
struct spawn_settings {
    spawn_settings() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~spawn_settings() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    spawn_settings(const spawn_settings&) = delete;
    spawn_settings& operator=(const spawn_settings&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

void use_fresh_signals(posix_spawnattr_t& attributes) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
}

// The gateway's environment has its keys, and the first process of a box shows what the launcher was given.
std::array<char*, 2> libraries_only() {
    for (char** each = environ; *each != nullptr; ++each)
        if (std::string_view(*each).starts_with("LD_LIBRARY_PATH=")) return {*each, nullptr};
    return {nullptr, nullptr};
}

}  // namespace

result<child_process> child_process::start(const std::vector<std::string>& argv, int socket) {
    constexpr int childs_socket = 3;
    spawn_settings settings;
    use_fresh_signals(settings.attributes);
    posix_spawn_file_actions_adddup2(&settings.actions, socket, childs_socket);
    auto texts = argv;
    std::vector<char*> pointers;
    for (auto& each : texts) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    std::array<char*, 2> environment = libraries_only();
    pid_t pid = 0;
    int error = posix_spawn(&pid, argv.front().c_str(), &settings.actions, &settings.attributes, pointers.data(),
                            environment.data());
    if (error != 0) return failure{errc::io_error, "cannot start " + argv.front() + ": " + std::strerror(error)};
    ::kernel::file_descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    return child_process(pid, std::move(pidfd));
}

child_process::~child_process() {
    if (!pidfd_ || status_) return;
    syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    waitpid(pid_, nullptr, 0);
}

std::optional<int> child_process::wait(milliseconds limit) {
    pollfd waited{pidfd_.get(), POLLIN, 0};
    if (!status_ && poll(&waited, 1, static_cast<int>(limit.count())) == 1) {
        int status = 0;
        if (waitpid(pid_, &status, 0) == pid_) status_ = status;
    }
    return status_;
}

std::string describe_status(int status) {
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace gateway::kernels
