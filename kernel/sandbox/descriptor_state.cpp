#include "kernel/sandbox/descriptor_state.hpp"

#include <poll.h>

namespace kernel {
namespace {

// Hanging up is told whether it is asked for or not.
bool has(int descriptor, short events) {
    pollfd asked{descriptor, events, 0};
    return poll(&asked, 1, 0) == 1;
}

}  // namespace

bool is_readable(int descriptor) { return has(descriptor, POLLIN); }

bool is_hung_up(int descriptor) { return has(descriptor, 0); }

}  // namespace kernel
