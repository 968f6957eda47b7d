#include "kernel/server/kept_messages.hpp"

#include <algorithm>
#include <utility>

namespace kernel {

kept_messages::kept_messages(std::size_t limit) : limit_(limit) {}

void kept_messages::keep(shared_encoded what) {
    // What goes is freed after the lock.
    std::vector<shared_encoded> gone;
    std::lock_guard held(mutex_);
    last_ = what->number;
    size_ += what->size;
    messages_.push_back(std::move(what));
    for (; size_ > limit_; messages_.pop_front()) {
        size_ -= messages_.front()->size;
        gone.push_back(std::move(messages_.front()));
    }
}

kept_messages::found kept_messages::find_after(std::uint64_t number) const {
    std::lock_guard held(mutex_);
    auto first = std::upper_bound(messages_.begin(), messages_.end(), number,
                                  [](std::uint64_t wanted, const auto& each) { return wanted < each->number; });
    auto oldest = messages_.empty() ? 0 : messages_.front()->number;
    return {{oldest, last_}, {first, messages_.end()}};
}

}  // namespace kernel
