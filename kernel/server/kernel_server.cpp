#include "kernel/server/kernel_server.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "kernel/server/blocked_signals.hpp"
#include "kernel/server/io_loop.hpp"
#include "kernel/server/zmq_socket.hpp"

namespace kernel {
namespace {

using messaging::result;

result<listeners> listen(messaging::connection_info& where) {
    auto shell = listener::make(where, where.shell_port);
    if (!shell) return shell.error();
    auto iopub = listener::make(where, where.iopub_port);
    if (!iopub) return iopub.error();
    auto stdin_channel = listener::make(where, where.stdin_port);
    if (!stdin_channel) return stdin_channel.error();
    auto control = listener::make(where, where.control_port);
    if (!control) return control.error();
    auto heartbeat = listener::make(where, where.hb_port);
    if (!heartbeat) return heartbeat.error();
    return listeners{std::move(*shell), std::move(*iopub), std::move(*stdin_channel), std::move(*control),
                     std::move(*heartbeat)};
}

}  // namespace

struct kernel_server::implementation {
    implementation(messaging::connection_info where, server_settings settings, messaging::signer keys, listeners at)
        : where(std::move(where)),
          settings(std::move(settings)),
          keys(std::move(keys)),
          bound(std::move(at)),
          state(this->settings) {
        if (this->settings.session.empty()) this->settings.session = messaging::make_id();
        listening = {bound->shell.descriptor(), bound->iopub.descriptor(), bound->stdin_channel.descriptor(),
                     bound->control.descriptor(), bound->heartbeat.descriptor()};
        if (this->settings.log < 0) own_log.reset(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    }

    // A fork takes the memory along but none of the threads, and perhaps a lock that one of them held.
    bool is_copy() const { return ::getpid() != owner; }

    const pid_t owner = ::getpid();
    messaging::connection_info where;
    server_settings settings;
    file_descriptor own_log;
    messaging::signer keys;
    std::optional<listeners> bound;
    std::array<int, 5> listening;  // their descriptors, also once libzmq has them
    server_state state;
    std::thread thread;
};

kernel_server::kernel_server(std::unique_ptr<implementation> made) : implementation_(std::move(made)) {}

kernel_server::~kernel_server() {
    // libzmq's sockets and the thread are those of the process that this was copied from.
    if (implementation_->is_copy())
        static_cast<void>(implementation_.release());
    else
        stop();
}

result<std::unique_ptr<kernel_server>> kernel_server::bind(messaging::connection_info where, server_settings settings) {
    auto keys = messaging::signer::make(where.key, where.signature_scheme);
    if (!keys) return keys.error();
    auto at = listen(where);
    if (!at) return at.error();
    auto made =
        std::make_unique<implementation>(std::move(where), std::move(settings), std::move(*keys), std::move(*at));
    return std::unique_ptr<kernel_server>(new kernel_server(std::move(made)));
}

void kernel_server::start(request_sink& sink) {
    auto& own = *implementation_;
    assert(own.bound && !own.thread.joinable());
    io_settings settings{own.settings.session, own.settings.linger, own.own_log ? own.own_log.get() : own.settings.log};
    blocked_signals during;
    auto loop = std::make_unique<io_loop>(*own.bound, own.keys, settings, own.state);
    own.thread = std::thread([loop = std::move(loop), &sink] { loop->run(sink); });
}

void kernel_server::leave_to_parent() {
    auto& own = *implementation_;
    if (!own.is_copy()) return;
    for (int& each : own.listening)
        if (int copy = std::exchange(each, -1); copy >= 0) ::close(copy);
}

void kernel_server::stop() {
    auto& own = *implementation_;
    if (own.is_copy()) return;
    own.state.is_stopping = true;
    own.state.wake.ring();
    if (own.thread.joinable()) own.thread.join();
    own.state.outputs.close();
    own.bound.reset();
}

const messaging::connection_info& kernel_server::where() const { return implementation_->where; }

const std::string& kernel_server::session() const { return implementation_->settings.session; }

void kernel_server::send(messaging::message what) {
    auto& own = *implementation_;
    if (!own.is_copy() && own.state.outputs.send(std::move(what))) own.state.wake.ring();
}

void kernel_server::ask(messaging::message what) {
    auto& own = *implementation_;
    if (own.is_copy()) return;
    own.state.questions.add(std::move(what), question_queue::clock::now());
    own.state.wake.ring();
}

void kernel_server::withdraw(std::string_view msg_id) {
    auto& own = *implementation_;
    if (!own.is_copy()) own.state.questions.withdraw(msg_id);
}

void kernel_server::publish(messaging::message what) {
    auto& own = *implementation_;
    if (!own.is_copy() && own.state.outputs.publish(std::move(what))) own.state.wake.ring();
}

void kernel_server::write(output_stream which, std::string_view text, const parent_text& parent) {
    auto& own = *implementation_;
    if (!own.is_copy() && own.state.outputs.write(which, text, parent)) own.state.wake.ring();
}

void kernel_server::flush() {
    auto& own = *implementation_;
    if (!own.is_copy() && own.state.outputs.flush()) own.state.wake.ring();
}

std::size_t kernel_server::unsent() const { return implementation_->state.unsent.count(); }

bool kernel_server::wait_for_room(std::chrono::milliseconds limit) {
    auto& own = *implementation_;
    return own.is_copy() || own.state.is_stopping || own.state.unsent.wait_for_room(limit);
}

kernel_server::resent kernel_server::resend(std::uint64_t after, std::vector<std::string> to,
                                            const std::function<void(const resent&)>& first) {
    auto& own = *implementation_;
    if (own.is_copy()) return {};
    auto found = own.state.kept.find_after(after);
    if (first) first(found.range);
    if (!found.messages.empty()) {
        own.state.again.add(std::move(found.messages), std::move(to));
        own.state.wake.ring();
    }
    return found.range;
}

void kernel_server::capture(int pipe, output_stream which) {
    auto& own = *implementation_;
    if (own.is_copy()) return;
    own.state.captured.add(pipe, which);
    own.state.wake.ring();
}

void kernel_server::set_captured_parent(parent_text parent) {
    auto& own = *implementation_;
    if (!own.is_copy()) own.state.captured.set_parent(std::move(parent));
}

void kernel_server::drain_captured() {
    auto& own = *implementation_;
    if (!own.is_copy()) own.state.captured.drain();
}

void warm_up_sockets() { zmq_context made_and_ended; }

}  // namespace kernel
