#include "kernel/interpreter/shell_queue.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

namespace kernel {
namespace {

bool is_execute(const messaging::message& what) {
    auto header = messaging::parse_header(what.header);
    return header && header->msg_type == "execute_request";
}

}  // namespace

shell_queue::shell_queue() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

// Nobody waits for the write: a counter that is full is readable already.
void shell_queue::signal() { eventfd_write(event_.get(), 1); }

void shell_queue::put(messaging::message what) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    waiting_.push_back(std::move(what));
    signal();
}

std::optional<messaging::message> shell_queue::take() {
    std::lock_guard lock(mutex_);
    std::optional<messaging::message> taken;
    if (!waiting_.empty()) {
        taken = std::move(waiting_.front());
        waiting_.pop_front();
    }
    eventfd_t ignored = 0;
    if (waiting_.empty() && !closed_) eventfd_read(event_.get(), &ignored);
    return taken;
}

std::vector<messaging::message> shell_queue::take_executes() {
    std::lock_guard lock(mutex_);
    std::vector<messaging::message> taken;
    std::deque<messaging::message> kept;
    for (auto& each : waiting_) {
        if (is_execute(each))
            taken.push_back(std::move(each));
        else
            kept.push_back(std::move(each));
    }
    waiting_ = std::move(kept);
    return taken;
}

void shell_queue::close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    signal();
}

std::vector<messaging::message> shell_queue::close_and_take() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    signal();
    std::vector<messaging::message> taken(std::make_move_iterator(waiting_.begin()),
                                          std::make_move_iterator(waiting_.end()));
    waiting_.clear();
    return taken;
}

bool shell_queue::closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
}

}  // namespace kernel
