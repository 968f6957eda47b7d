#include "kernel/interpreter/input_requests.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "kernel/interpreter/replies.hpp"
#include "messaging/json_members.hpp"
#include "messaging/json_string.hpp"

namespace kernel {
namespace {

// A signal may come just before poll(), or to another thread of Python's: it is seen after this.
constexpr int longest_wait_ms = 100;

}  // namespace

input_requests::question::question(input_requests& all, const messaging::message& request,
                                   std::string_view parent_header, std::string_view prompt, bool password)
    : all_(all), answered_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!answered_) throw std::system_error(errno, std::generic_category(), "eventfd");
    auto content = "{\"prompt\":" + messaging::quote(prompt) + ",\"password\":" + (password ? "true" : "false") + "}";
    auto made = make_reply(request, "input_request", all.session_, std::move(content));
    made.where = messaging::channel::stdin_channel;
    made.parent_header = parent_header;
    id_ = messaging::parse_header(made.header).value().msg_id;
    if (auto parent = messaging::parse_header(parent_header)) parent_id_ = parent->msg_id;
    {
        std::lock_guard lock(all_.mutex_);
        all_.waiting_.push_back(this);
    }
    all_.server_.ask(std::move(made));
}

input_requests::question::~question() {
    all_.server_.withdraw(id_);
    std::lock_guard lock(all_.mutex_);
    all_.waiting_.remove(this);
}

std::optional<std::string> input_requests::question::wait() {
    pollfd waited{answered_.get(), POLLIN, 0};
    if (poll(&waited, 1, longest_wait_ms) <= 0) return std::nullopt;
    std::lock_guard lock(all_.mutex_);
    eventfd_t ignored = 0;
    eventfd_read(answered_.get(), &ignored);
    return std::exchange(answer_, std::nullopt);
}

void input_requests::deliver(const messaging::message& reply) {
    auto parent = messaging::parse_header(reply.parent_header);
    auto id = parent ? parent->msg_id : std::string();
    std::lock_guard lock(mutex_);
    auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto* each) {
        return !each->answer_ && (id.empty() || each->id_ == id || each->parent_id_ == id);
    });
    if (found == waiting_.end()) return;
    (*found)->answer_ = messaging::json_members(reply.content).text("value");
    eventfd_write((*found)->answered_.get(), 1);
}

void input_requests::wake() {
    std::lock_guard lock(mutex_);
    for (auto* each : waiting_) eventfd_write(each->answered_.get(), 1);
}

}  // namespace kernel
