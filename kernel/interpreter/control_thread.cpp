#include "kernel/interpreter/control_thread.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "kernel/interpreter/control_answers.hpp"
#include "kernel/interpreter/kernel_process.hpp"
#include "kernel/interpreter/request_dispatcher.hpp"
#include "kernel/server/blocked_signals.hpp"

namespace kernel {
namespace {

// jupyter_client names its process in the environment, for kernels that are to end with it.
bool ends_with_parent() { return std::getenv("JPY_PARENT_PID") != nullptr; }

std::string type_of(const messaging::message& request) {
    auto header = messaging::parse_header(request.header);
    return header ? header->msg_type : "";
}

}  // namespace

control_thread::~control_thread() { stop(); }

void control_thread::start() {
    blocked_signals during;
    thread_ = std::thread([this] { run(); });
}

void control_thread::stop() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

void control_thread::run() {
    control_answers who(owner_);
    request_dispatcher dispatcher(owner_.server(), who, queue_, owner_.session());
    const bool watches = ends_with_parent();
    while (!queue_.closed()) {
        pollfd waited{queue_.event(), POLLIN, 0};
        poll(&waited, 1, watches ? 1000 : -1);
        if (watches && getppid() == 1) owner_.ask_to_end(false);
        while (auto request = queue_.take()) {
            if (control_answers::knows(type_of(*request)))
                dispatcher.handle(*request);
            else
                owner_.answer_with_python(std::move(*request));
        }
        if (owner_.is_to_end()) return owner_.end();
    }
}

}  // namespace kernel
