#include "tests/kernel/launched.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"

namespace kernel {
namespace {

constexpr int deadline_ms = 20'000;
constexpr uid_t ordinary_uid = 1000;

void wait_readable(int descriptor, const std::string& what) {
    pollfd waited{descriptor, POLLIN, 0};
    if (poll(&waited, 1, deadline_ms) != 1) throw std::runtime_error("too late: " + what);
}

}  // namespace

std::size_t count_entries(const std::string& directory) {
    std::filesystem::directory_iterator all(directory), end;
    return std::distance(all, end);
}

std::vector<who> possible_users() {
    if (geteuid() != 0) return {who::ordinary};
    return {who::root, who::ordinary};
}

std::string name_of(const testing::TestParamInfo<who>& user) { return user.param == who::root ? "root" : "ordinary"; }

launched::launched() {
    give(directory_.path());
    // The build directory may lie where an ordinary user may not go.
    std::filesystem::copy_file(CELLGATE_LAUNCHER, path("launcher"));
    chmod(path("launcher").c_str(), 0755);
    for (const char* each : {"home", "files", "log"}) make_directory(each);
    std::string fifo = path("files/event");
    if (mkfifo(fifo.c_str(), 0600) != 0) throw std::runtime_error("no fifo");
    give(fifo);
    events_.reset(open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

launched::~launched() {
    if (launcher_ != 0) {
        EXPECT_EQ(end_launcher(), 0) << "the launcher did not end well";
    }
}

void launched::give(const std::string& path) const {
    if (GetParam() == who::ordinary && geteuid() == 0 && chown(path.c_str(), ordinary_uid, ordinary_uid) != 0)
        throw std::runtime_error("cannot give " + path);
}

std::string launched::make_directory(const std::string& name) {
    std::filesystem::create_directories(path(name));
    give(path(name));
    return path(name);
}

void launched::write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
    give(path(name));
}

std::string launched::read(const std::string& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

void launched::start_launcher() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket");
    socket_.reset(ends[0]);
    file_descriptor theirs(ends[1]);
    launcher_ = fork();
    if (launcher_ == 0) become_launcher(theirs.get());
}

void launched::drop_rights() const {
    if (GetParam() == who::root || geteuid() != 0) return;
    bool dropped = setgroups(0, nullptr) == 0 && setresgid(ordinary_uid, ordinary_uid, ordinary_uid) == 0 &&
                   setresuid(ordinary_uid, ordinary_uid, ordinary_uid) == 0;
    if (!dropped) _exit(99);
    prctl(PR_SET_DUMPABLE, 1);  // as after a login: else /proc/self is root's
}

void launched::become_launcher(int socket) const {
    if (prepare_) prepare_();
    drop_rights();
    signal(SIGINT, SIG_IGN);  // as in a gateway that a shell started in the background
    if (socket == 3)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, 3);
    execl(path("launcher").c_str(), "cellgate-launcher", isolation_, "2000000000", "65536", nullptr);
    _exit(98);
}

int launched::end_launcher() {
    socket_.reset();
    file_descriptor process = watch(launcher_);
    if (!has_ended(process)) kill(launcher_, SIGKILL);
    int status = 0;
    waitpid(launcher_, &status, 0);
    launcher_ = 0;
    return status;
}

void launched::kill_launcher() {
    kill(launcher_, SIGKILL);
    waitpid(launcher_, nullptr, 0);
    launcher_ = 0;
}

launch_request launched::script(const std::string& text) {
    launch_request what;
    what.id = "kernel-" + std::to_string(++launched_);
    what.argv = {"/bin/sh", "-c", text};
    what.env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/user"}};
    what.mounts = {{path("home"), "/home/user", true}, {path("files"), "/mnt/files", true}};
    what.output_file = path("log/" + what.id);
    return what;
}

void launched::send(const command& what, std::span<const int> files) {
    if (launcher_ == 0) start_launcher();
    ASSERT_EQ(send_text(socket_.get(), encode(what), true, files), channel_state::ok);
}

void launched::receive() {
    wait_readable(socket_.get(), "the launcher's answer");
    received_text in = receive_text(socket_.get(), true);
    std::optional<reply> what = decode_reply(in.text);
    if (!what) throw std::runtime_error("the launcher has gone");
    if (const auto* answer = std::get_if<launch_answer>(&*what)) {
        answers_[answer->id] = *answer;
        listener_ = in.files.empty() ? file_descriptor() : std::move(in.files.front());
    }
    if (const auto* notice = std::get_if<exit_notice>(&*what)) exits_[notice->id] = *notice;
    if (const auto* notice = std::get_if<limits_notice>(&*what)) offered_ = *notice;
    if (const auto* answer = std::get_if<run_answer>(&*what)) run_answers_[answer->id] = *answer;
    if (const auto* end = std::get_if<run_end>(&*what)) {
        EXPECT_TRUE(exits_.empty()) << "a box was told to be empty before what ran in it had ended";
        run_ends_[end->id] = *end;
    }
}

launch_answer launched::launch(const launch_request& what) {
    send(what);
    return take_answer(what.id);
}

launch_answer launched::take_answer(const std::string& id) {
    while (!answers_.contains(id)) receive();
    launch_answer answer = answers_[id];
    answers_.erase(id);
    return answer;
}

run_answer launched::take_run_answer(const std::string& id) {
    while (!run_answers_.contains(id)) receive();
    return run_answers_.extract(id).mapped();
}

run_end launched::wait_for_run_end(const std::string& id) {
    while (!run_ends_.contains(id)) receive();
    return run_ends_.extract(id).mapped();
}

exit_notice launched::wait_for_notice(const std::string& id) {
    while (!exits_.contains(id)) receive();
    return exits_.extract(id).mapped();
}

limits_notice launched::offered() {
    if (launcher_ == 0) start_launcher();
    while (!offered_) receive();
    return *offered_;
}

std::string launched::output_of(const launch_request& what) {
    EXPECT_EQ(launch(what).error, "");
    wait_for_exit(what.id);
    return read(what.output_file);
}

std::string launched::wait_for_event() {
    wait_readable(events_.get(), "an event from the box");
    char buffer[256];
    ssize_t size = ::read(events_.get(), buffer, sizeof buffer);
    std::string word(buffer, std::max<ssize_t>(size, 0));
    return word.substr(0, word.find('\n'));
}

std::size_t launched::open_files() const { return count_entries("/proc/" + std::to_string(launcher_) + "/fd"); }

std::size_t launched::children() const {
    std::string pid = std::to_string(launcher_);
    std::istringstream all(read("/proc/" + pid + "/task/" + pid + "/children"));
    return std::distance(std::istream_iterator<std::string>(all), {});
}

void launched::wait_for_children(std::size_t count) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline_ms);
    while (children() != count && std::chrono::steady_clock::now() < deadline) sched_yield();
    EXPECT_EQ(children(), count);
}

file_descriptor watch(int pid) { return file_descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

bool has_ended(const file_descriptor& pidfd) {
    pollfd waited{pidfd.get(), POLLIN, 0};
    return poll(&waited, 1, deadline_ms) == 1;
}

}  // namespace kernel
