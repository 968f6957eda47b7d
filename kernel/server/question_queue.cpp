#include "kernel/server/question_queue.hpp"

#include <algorithm>
#include <utility>

namespace kernel {
namespace {

using std::chrono_literals::operator""ms;

constexpr question_queue::clock::duration shortest_pause = 10ms;
constexpr question_queue::clock::duration longest_pause = 1000ms;

}  // namespace

void question_queue::add(messaging::message what, clock::time_point now) {
    auto header = messaging::parse_header(what.header);
    std::lock_guard held(mutex_);
    waiting_.push_back({std::move(what), header ? header->msg_id : std::string(), now, now});
}

void question_queue::withdraw(std::string_view msg_id) {
    std::lock_guard held(mutex_);
    waiting_.remove_if([&](const question& each) { return each.id == msg_id; });
}

void question_queue::offer(clock::time_point now, const std::function<bool(const messaging::message&)>& take) {
    std::lock_guard held(mutex_);
    waiting_.remove_if([&](question& each) {
        if (each.due > now) return false;
        each.due = now + std::clamp(now - each.since, shortest_pause, longest_pause);
        return take(each.what);
    });
}

std::optional<question_queue::clock::time_point> question_queue::due() const {
    std::lock_guard held(mutex_);
    auto first = std::min_element(waiting_.begin(), waiting_.end(),
                                  [](const question& one, const question& other) { return one.due < other.due; });
    if (first == waiting_.end()) return std::nullopt;
    return first->due;
}

}  // namespace kernel
