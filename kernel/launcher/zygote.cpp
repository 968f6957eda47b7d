#include "kernel/launcher/zygote.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>

#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/zygote_process.hpp"

namespace kernel {
namespace {

// Of what it printed: a Python traceback and what came before.
constexpr std::size_t words_limit = 2000;

int wait_for(int pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

zygote::zygote(const zygote_command& what, const isolation& how)
    : start_limit_(what.start_limit_ms),
      fork_limit_(what.fork_limit_ms),
      output_(output_file::in_memory()),
      asked_(clock::now()) {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "make a socket");
    socket_.reset(ends[0]);
    file_descriptor theirs(ends[1]);
    pid_ = fork_into_mount_namespace(pidfd_);
    if (pid_ == 0) run_zygote(what, how, theirs.release(), output_.writer());
    output_.close_writer();
}

zygote::~zygote() {
    if (!pidfd_ || reaped_) return;
    kill();
    wait_for(pid_);
}

std::optional<zygote_reply> zygote::receive() {
    received_text in = receive_text(socket_.get(), false);
    if (in.state != channel_state::ok) return std::nullopt;
    std::optional<zygote_reply> what = decode_zygote_reply(in.text);
    if (!what) return std::nullopt;
    if (std::holds_alternative<zygote_ready>(*what)) started_ = true;
    if (std::holds_alternative<fork_done>(*what) || std::holds_alternative<fork_refusal>(*what)) forking_.clear();
    return what;
}

bool zygote::fork(const fork_job& job) {
    std::vector<int> files = {job.init.get(), job.reports.get(), job.output.get()};
    if (job.wall) files.push_back(job.wall.get());
    for (const file_descriptor& each : job.groups) files.push_back(each.get());
    asked_ = clock::now();
    forking_ = job.request.id;
    return send_text(socket_.get(), encode(zygote_order(job.request)), false, files) == channel_state::ok;
}

std::optional<zygote::clock::time_point> zygote::deadline() const {
    if (!started_) return asked_ + start_limit_;
    if (!forking_.empty()) return asked_ + fork_limit_;
    return std::nullopt;
}

void zygote::kill() {
    // Its process group is its own from the moment it called setsid(), and until then nobody's.
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

std::string zygote::words() const {
    std::string text = output_.last_lines(words_limit);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string zygote::last_words() const {
    std::string text = words();
    return text.empty() ? text : "; its last words:\n" + text;
}

std::string zygote::obituary() {
    ::kill(-pid_, SIGKILL);  // what it left; first, while its number is still its own
    int status = wait_for(pid_);
    reaped_ = true;
    was_killed_ = WIFSIGNALED(status);
    std::string text = was_killed_ ? "was killed by signal " + std::to_string(WTERMSIG(status))
                                   : "ended with status " + std::to_string(WEXITSTATUS(status));
    return text + last_words();
}

}  // namespace kernel
