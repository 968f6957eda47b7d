#include "gateway/tools/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

namespace gateway::tools {
namespace {

// An owned descriptor, until it is given away.
class descriptor {
  public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

// A gateway without standard streams gets numbers below 3, which dup2 in the child would overwrite.
descriptor above_standard_streams(int number) {
    descriptor original(number);
    return descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 3));
}

struct channel {
    descriptor ours;
    descriptor theirs;
};

failure cannot(const std::string& what, int error) { return {errc::io_error, what + ": " + std::strerror(error)}; }

result<channel> make_channel(bool is_input) {
    int ends[2];
    int failed = is_input ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : ::pipe2(ends, O_CLOEXEC);
    if (failed) return cannot("no channel to a program", errno);
    channel made;
    made.ours = above_standard_streams(ends[0]);
    made.theirs = above_standard_streams(ends[1]);
    if (made.ours.get() < 0 || made.theirs.get() < 0) return cannot("no channel to a program", errno);
    return made;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> made;
    for (auto& each : texts) made.push_back(each.data());
    made.push_back(nullptr);
    return made;
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

result<std::string> find_program(const std::string& name, const std::map<std::string, std::string>& env) {
    if (name.find('/') != std::string::npos) {
        if (is_program(name)) return name;
        return failure{errc::io_error, "there is no program " + name};
    }
    auto path = env.find("PATH");
    std::istringstream directories(path == env.end() ? "" : path->second);
    for (std::string each; std::getline(directories, each, ':');)
        if (!each.empty() && is_program(each + "/" + name)) return each + "/" + name;
    return failure{errc::io_error, "there is no program " + name + " in PATH; give its absolute path"};
}

// What posix_spawn needs to be told, and gives back.
class spawn_setup {
  public:
    spawn_setup(int input, int output, int errors) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_adddup2(&actions_, input, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
        ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
        // Asio's sockets are not all close-on-exec: a listening port must not outlive the gateway in a child.
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
        ::posix_spawnattr_init(&attributes_);
        sigset_t all, none;
        ::sigfillset(&all);
        ::sigemptyset(&none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    spawn_setup(const spawn_setup&) = delete;
    spawn_setup& operator=(const spawn_setup&) = delete;
    ~spawn_setup() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    int run(pid_t& pid, const std::string& program, std::vector<std::string> command, std::vector<std::string> env) {
        return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, pointers(command).data(),
                             pointers(env).data());
    }

  private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

std::vector<std::string> as_assignments(const std::map<std::string, std::string>& env) {
    std::vector<std::string> made;
    for (const auto& [name, value] : env) made.push_back(name + "=" + value);
    return made;
}

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

result<std::unique_ptr<child_process>> child_process::start(executor ex, std::vector<std::string> command,
                                                            std::map<std::string, std::string> env) {
    if (command.empty()) return failure{errc::invalid_request, "the command is empty"};
    auto program = find_program(command.front(), env);
    if (!program) return program.error();
    auto input = make_channel(true), output = make_channel(false), errors = make_channel(false);
    for (auto* each : {&input, &output, &errors})
        if (!*each) return each->error();
    spawn_setup setup(input->theirs.get(), output->theirs.get(), errors->theirs.get());
    pid_t pid = 0;
    if (int error = setup.run(pid, *program, std::move(command), as_assignments(env)))
        return cannot("cannot start " + *program, error);
    descriptor pidfd(open_pidfd(pid));
    if (pidfd.get() < 0) {
        auto failed = cannot("cannot watch " + *program, errno);
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return failed;
    }
    return std::unique_ptr<child_process>(new child_process(std::move(ex), pid, pidfd.release(), input->ours.release(),
                                                            output->ours.release(), errors->ours.release()));
}

child_process::child_process(executor ex, pid_t pid, int pidfd, int input, int output, int errors)
    : pid_(pid),
      pidfd_(ex, pidfd),
      input_(ex, asio::local::stream_protocol(), input),
      output_(ex, output),
      errors_(ex, errors) {}

child_process::~child_process() {
    signal_group(SIGKILL);
    ::waitpid(pid_, nullptr, 0);  // its owner has waited for its end, or it was killed just now: this returns soon
}

bool child_process::look() {
    siginfo_t info{};
    if (!ended_ && ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_) {
        ended_ = true;
        bool exited = info.si_code == CLD_EXITED;
        ending_ = (exited ? "exit status " : "signal ") + std::to_string(info.si_status);
    }
    return ended_;
}

awaitable<bool> child_process::wait(milliseconds limit) {
    auto readable = [](asio::posix::stream_descriptor& from) -> awaitable<result<void>> {
        constexpr auto kind = asio::posix::stream_descriptor::wait_read;
        (void)co_await from.async_wait(kind, asio::as_tuple(asio::use_awaitable));
        co_return result<void>{};
    };
    if (!look()) (void)co_await with_timeout(readable(pidfd_), limit, "the end of a program");
    co_return look();
}

void child_process::signal_group(int number) { ::kill(-pid_, number); }

}  // namespace gateway::tools
