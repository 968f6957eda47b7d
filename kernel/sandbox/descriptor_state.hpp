// What a descriptor has, asked without waiting. Async-signal-safe.
#pragma once

namespace kernel {

// Something to read, or its end; a pidfd: its process has ended.
bool is_readable(int descriptor);
// The other end is closed, and what it sent is all there is.
bool is_hung_up(int descriptor);

}  // namespace kernel
