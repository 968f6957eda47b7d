#include "kernel/sandbox/box.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/descriptor_state.hpp"
#include "kernel/sandbox/init.hpp"
#include "kernel/sandbox/namespaces.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {
namespace {

void check_text(const std::string& text, const std::string& field) {
    if (text.find('\0') != std::string::npos) throw box_error(field + " contains a NUL byte: remove it");
}

void check_path(const std::string& path, const std::string& field) {
    check_text(path, field);
    if (path.empty() || path.front() != '/') throw box_error(field + " \"" + path + "\" is not an absolute path");
    if ((path + "/").find("/../") != std::string::npos) throw box_error(field + " \"" + path + "\" contains ..");
}

void check_hostname(const std::string& name) {
    constexpr const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    if (name.empty() || name.size() > 64 || name.find_first_not_of(allowed) != std::string::npos)
        throw box_error("hostname \"" + name + "\": use 1 to 64 letters, digits, dashes and dots");
}

void check_mounts(const std::vector<bind_mount>& mounts) {
    for (const bind_mount& each : mounts) {
        check_path(each.source, "mount source");
        check_path(each.target, "mount target");
        if (each.target.find_first_not_of('/') == std::string::npos)
            throw box_error("mount target / is the box's own root");
    }
}

void check_relays(const std::vector<tcp_relay>& relays) {
    for (const tcp_relay& each : relays) {
        check_path(each.socket, "relay socket");
        if (each.port < 1 || each.port > 65'535)
            throw box_error("relay port " + std::to_string(each.port) + " is none");
    }
}

void check_arguments(const std::vector<std::string>& argv, const std::string& field) {
    if (argv.empty()) throw box_error(field + " is empty: it must name a program");
    for (const std::string& each : argv) check_text(each, field);
}

void check_environment(const std::map<std::string, std::string>& env) {
    for (const auto& [name, value] : env) {
        if (name.empty() || name.find('=') != std::string::npos) throw box_error("env has the name \"" + name + "\"");
        check_text(name, "env");
        check_text(value, "env." + name);
    }
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) return " (killed by signal " + std::to_string(WTERMSIG(status)) + ")";
    return " (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
}

// Before it does anything else: what it forks and takes of memory counts from the beginning.
void enter_or_exit(const control_group& group, bool born_there, int reports) {
    try {
        group.enter(born_there);
    } catch (const std::exception& error) {
        report last;
        last.text = error.what();
        try_send_report(reports, last);
        _exit(126);
    }
}

void enable_credentials(int socket) {
    int on = 1;
    require(setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on), "ask for credentials");
}

}  // namespace

void check(const launch_request& what) {
    check_arguments(what.argv, "argv");
    if (what.zygote)
        check(*what.zygote);
    else
        check_path(what.argv.front(), "argv[0]");
    check_environment(what.env);
    check_path(what.working_dir, "working_dir");
    check_hostname(what.hostname);
    check_mounts(what.mounts);
    check_relays(what.relays);
    check(what.limits);
}

void check(const zygote_command& what) {
    check_arguments(what.argv, "zygote.argv");
    check_path(what.argv.front(), "zygote.argv[0]");
    check_mounts(what.mounts);
    if (what.start_limit_ms <= 0 || what.fork_limit_ms <= 0)
        throw box_error("zygote limits must be above 0 milliseconds");
    for (const bind_mount& each : what.mounts)
        if (each.writable)
            throw box_error("zygote mount " + each.target + " is writable: many sessions share it, mount it read-only");
}

void check(const run_request& what) {
    check_arguments(what.argv, "argv");
    if (what.argv.front().empty()) throw box_error("argv[0] is empty: it must name a program");
    check_environment(what.env);
    check_text(what.working_dir, "working directory");
    if (what.working_dir.empty() || what.working_dir.front() != '/')
        throw box_error("working directory \"" + what.working_dir + "\" is not an absolute path");
}

void check(const box_limits& what) {
    constexpr std::int64_t most = 1ll << 50;
    for (std::int64_t each : {what.cpu_millis, what.memory_bytes, what.pids})
        if (each < 0 || each > most) throw box_error("limits: " + std::to_string(each) + " is out of range");
}

box box::make(const launch_request& what, const isolation& how, std::shared_ptr<const box_user> user, int output,
              const control_group& group, const std::function<void()>& in_child) {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "make a socket");
    box made;
    made.reports_.reset(ends[0]);
    file_descriptor theirs(ends[1]);
    enable_credentials(made.reports());
    file_descriptor birthplace = group.second();
    made.init_ = fork_into_namespaces(how, made.pidfd_, birthplace);
    if (made.init_ == 0) {
        enter_or_exit(group, static_cast<bool>(birthplace), theirs.get());
        in_child();
        run_init(what, how, user.get(), theirs.release(), output);
    }
    made.user_ = std::move(user);
    made.forked_ = what.zygote.has_value();
    if (made.forked_) made.kernels_end_ = std::move(theirs);
    return made;
}

box& box::operator=(box&& other) noexcept {
    std::swap(user_, other.user_);
    std::swap(pidfd_, other.pidfd_);
    std::swap(reports_, other.reports_);
    std::swap(kernels_end_, other.kernels_end_);
    std::swap(wall_, other.wall_);
    std::swap(proxy_listener_, other.proxy_listener_);
    std::swap(init_, other.init_);
    std::swap(kernel_, other.kernel_);
    std::swap(status_, other.status_);
    std::swap(forked_, other.forked_);
    std::swap(assembled_, other.assembled_);
    std::swap(kernel_ended_, other.kernel_ended_);
    std::swap(runs_, other.runs_);
    std::swap(signals_sent_, other.signals_sent_);
    std::swap(error_, other.error_);
    return *this;
}

box::~box() {
    if (!pidfd_) return;
    kill();
    reap();
}

bool box::is_empty() const { return is_readable(pidfd_.get()); }

// Its files, the report socket among them, are closed before what lives inside is killed.
bool box::is_ending() const { return is_hung_up(reports_.get()); }

void box::receive() {
    while (std::optional<report> each = receive_report(reports())) {
        switch (each->kind) {
            case report_kind::kernel_forked:
                kernel_ = each->sender;
                if (forked_) tell_init(report_kind::kernel_is, each->value);
                break;
            case report_kind::kernel_runs:
                runs_ = true;
                break;
            case report_kind::failed:
                error_ = each->text;
                break;
            case report_kind::kernel_ended:
                status_ = each->value;
                break;
            case report_kind::signal_sent:
                ++signals_sent_;
                break;
            case report_kind::assembled:
                assembled_ = true;
                break;
            case report_kind::wall:
                if (!wall_) wall_ = std::move(each->file);
                break;
            case report_kind::network_made:
                if (!proxy_listener_) proxy_listener_ = std::move(each->file);
                break;
            case report_kind::send_signal:
            case report_kind::kernel_is:
                break;
        }
    }
}

void box::reap() {
    int status = 0;
    while (waitpid(init_, &status, 0) < 0 && errno == EINTR) {
    }
    receive();
    pidfd_.reset();
    if (runs_ || !error_.empty()) return;
    if (kernel_ended_) {
        error_ = "the kernel ended before it was ready" + how_it_ended(status_);
        return;
    }
    error_ = "the box ended before the kernel ran";
    if (WIFSIGNALED(status)) error_ += " (its init was killed by signal " + std::to_string(WTERMSIG(status)) + ")";
}

void box::tell_init(report_kind kind, int value) {
    report order;
    order.kind = kind;
    order.value = value;
    try_send_report(reports(), order);
}

// By way of init: it knows whether the kernel still lives, so no other process group can be hit.
void box::signal(int number) { tell_init(report_kind::send_signal, number); }

void box::kernel_ended(int status) {
    status_ = status;
    kernel_ended_ = true;
    kill();
}

void box::kill() { syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0); }

}  // namespace kernel
