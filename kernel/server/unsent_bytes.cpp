#include "kernel/server/unsent_bytes.hpp"

#include <cassert>
#include <utility>

namespace kernel {

unsent_bytes::unsent_bytes(std::size_t limit, std::function<void()> on_room)
    : limit_(limit), on_room_(std::move(on_room)) {}

void unsent_bytes::remove(std::size_t bytes) {
    auto before = count_.fetch_sub(bytes, std::memory_order_acq_rel);
    assert(before >= bytes);
    if (before < limit_ || before - bytes >= limit_) return;
    // A waiter that has just found no room must be asleep before it is woken.
    { std::lock_guard held(mutex_); }
    room_.notify_all();
    on_room_();
}

bool unsent_bytes::wait_for_room(std::chrono::milliseconds limit) {
    if (!is_full()) return true;
    std::unique_lock held(mutex_);
    return room_.wait_for(held, limit, [this] { return !is_full(); });
}

}  // namespace kernel
