// A process that others are forked from must not hand on what it was told for another session. Any thread.
#pragma once

namespace kernel {

// From now on what operator delete frees is cleared first, or it is no longer. Off at first. Without effect in a build
// with an address or thread sanitizer, which has operators of its own.
void clear_freed_memory(bool yes);

}  // namespace kernel
