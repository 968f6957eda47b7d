#include "kernel/server/wake_up.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace kernel {

wake_up::wake_up() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void wake_up::ring() {
    if (is_rung_.exchange(true)) return;
    std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(event_.get(), &one, sizeof one);
}

void wake_up::clear() {
    // In this order: a ring between the two is seen by the look that follows; the other way round it would be the last.
    std::uint64_t count;
    [[maybe_unused]] auto taken = ::read(event_.get(), &count, sizeof count);
    is_rung_.store(false);
}

}  // namespace kernel
