#include "kernel/sandbox/freed_memory.hpp"

#include <malloc.h>
#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace {

std::atomic<bool> clears = false;

}  // namespace

namespace kernel {

void clear_freed_memory(bool yes) { clears.store(yes, std::memory_order_relaxed); }

}  // namespace kernel

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The library's operator new is malloc(); its other forms of delete call these.
void operator delete(void* block) noexcept {
    if (block && clears.load(std::memory_order_relaxed)) explicit_bzero(block, malloc_usable_size(block));
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

#endif
